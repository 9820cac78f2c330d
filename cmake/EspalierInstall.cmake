# The planning library, for find_package(espalier) and pkg-config, and the programs.

include(CMakePackageConfigHelpers)

espalier_layer_objects(layer_objects)
if(NOT layer_objects)
    return()
endif()

# One archive in place of one for each layer: users see a library, not our folders.
add_library(espalier_library STATIC ${layer_objects})
add_library(espalier::espalier ALIAS espalier_library)
set_target_properties(espalier_library PROPERTIES OUTPUT_NAME espalier EXPORT_NAME espalier
                                                  LINKER_LANGUAGE CXX)
espalier_final_artefact(espalier_library)
target_compile_features(espalier_library PUBLIC cxx_std_20)
target_include_directories(
    espalier_library
    INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
              "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>"
              "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(espalier_library INTERFACE fmt::fmt nlohmann_json::nlohmann_json
                                                 Threads::Threads nettle sqlite3 curl
                                                 pugixml)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/espalier")
install(TARGETS espalier_library EXPORT espalier-targets)
install(EXPORT espalier-targets NAMESPACE espalier:: DESTINATION "${package_folder}")
configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/espalier-config.cmake.in"
    "${PROJECT_BINARY_DIR}/espalier-config.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/espalier-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/espalier-config.cmake"
              "${PROJECT_BINARY_DIR}/espalier-config-version.cmake"
        DESTINATION "${package_folder}")
# Relative, so that `cmake --install --prefix` may choose another place.
file(RELATIVE_PATH pc_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(name espalier espalier-c)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc"
                   @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

set(layers core network overview importers directory schedule simulate plan libraries demands ring sender report frontend)
string(REPLACE ";" " " layers "${layers}")
install(CODE "execute_process(
    COMMAND \"\${CMAKE_COMMAND}\" \"-DSOURCE=${PROJECT_SOURCE_DIR}\"
            \"-DFOLDER=${PROJECT_BINARY_DIR}/headers\" \"-DLAYERS=${layers}\" -P
            \"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\"
    COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY "${PROJECT_BINARY_DIR}/headers/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

install(TARGETS espalier_cli espalier_c)
if(TARGET espalier_simgrid_platform)
    install(TARGETS espalier_simgrid_platform)
endif()
set(of_programs OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
foreach(flavour IN LISTS ESPALIER_MPI_FLAVOURS)
    install(TARGETS espalier_ring_library_${flavour} EXPORT espalier-targets)
    foreach(target espalier_preload_${flavour} espalier_linkable_${flavour})
        if(TARGET ${target})
            install(TARGETS ${target})
        endif()
    endforeach()
    # SMPI's is a module to CMake, which would put it beside the libraries.
    foreach(target espalier_measure_app_${flavour} espalier_doctor_app_${flavour})
        if(TARGET ${target})
            install(TARGETS ${target} DESTINATION "${CMAKE_INSTALL_BINDIR}" PERMISSIONS ${of_programs})
        endif()
    endforeach()
endforeach()
