# Layers: one folder below src/ is one target, one include prefix and one namespace.

# espalier_layer(NAME <name> [DEPENDS <layer>...])
#
# Defines espalier_<name> (alias espalier::<name>) from every source below the calling folder, so
# that a new file needs no change here. A folder that holds only headers becomes an INTERFACE
# library. DEPENDS is the architecture: scripts/lint reads it, and rejects an #include that it
# does not allow.
function(espalier_layer)
    cmake_parse_arguments(PARSE_ARGV 0 LAYER "" "NAME" "DEPENDS")
    set(target espalier_${LAYER_NAME})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")

    if(sources)
        add_library(${target} STATIC ${sources})
        set(scope PUBLIC)
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()
    add_library(espalier::${LAYER_NAME} ALIAS ${target})

    list(TRANSFORM LAYER_DEPENDS PREPEND "espalier::")
    target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/src"
                                                  "${PROJECT_SOURCE_DIR}/include")
    target_compile_features(${target} ${scope} cxx_std_20)
    target_link_libraries(${target} ${scope} ${LAYER_DEPENDS} fmt::fmt
                                              nlohmann_json::nlohmann_json Threads::Threads)
    set_property(GLOBAL APPEND PROPERTY ESPALIER_LAYERS ${target})
endfunction()

# Sets <result> to the objects of all layers, for libraries that contain them all.
function(espalier_layer_objects result)
    get_property(layers GLOBAL PROPERTY ESPALIER_LAYERS)
    set(objects "")
    foreach(layer IN LISTS layers)
        get_target_property(type ${layer} TYPE)
        if(type STREQUAL "STATIC_LIBRARY")
            list(APPEND objects "$<TARGET_OBJECTS:${layer}>")
        endif()
    endforeach()
    set(${result} "${objects}" PARENT_SCOPE)
endfunction()
