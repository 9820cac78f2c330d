# Unity builds: a target's sources are compiled in groups, each of which reads the headers that its
# sources share once. Include this after all targets.
#
# unity_groups.py puts sources into groups so that no name that one keeps to itself is anywhere in
# another. A change of such names may move a source to another group, so that any change of a source
# configures again.

option(ESPALIER_UNITY "Compile sources in groups; the presets switch this on" OFF)
find_package(Python3 COMPONENTS Interpreter)
if(NOT ESPALIER_UNITY OR NOT Python3_FOUND)
    return()
endif()

# Adds to <result> a line "TARGET FOLDER SOURCE..." for each target of <folder> and of those below.
function(espalier_list_sources folder result)
    set(lines "${${result}}")
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        get_target_property(sources ${target} SOURCES)
        if(type STREQUAL "INTERFACE_LIBRARY" OR type STREQUAL "UTILITY" OR NOT sources)
            continue()
        endif()
        list(FILTER sources INCLUDE REGEX "\\.cpp$")
        list(LENGTH sources count)
        if(count GREATER 1)
            set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
            list(JOIN sources " " words)
            string(APPEND lines "${target} ${folder} ${words}\n")
        endif()
    endforeach()
    get_property(subfolders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    foreach(subfolder IN LISTS subfolders)
        espalier_list_sources("${subfolder}" lines)
    endforeach()
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

set(lines "")
espalier_list_sources("${PROJECT_SOURCE_DIR}" lines)
file(WRITE "${PROJECT_BINARY_DIR}/unity_sources.txt" "${lines}")
execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/unity_groups.py"
            --sources "${PROJECT_BINARY_DIR}/unity_sources.txt" --groups
            "${PROJECT_BINARY_DIR}/unity_groups.cmake" --include "${PROJECT_SOURCE_DIR}/src" --include
            "${PROJECT_SOURCE_DIR}/include" --include "${PROJECT_SOURCE_DIR}/tests" --include
            "${PROJECT_SOURCE_DIR}/apps/espalier" --include "${PROJECT_SOURCE_DIR}/testbed"
            COMMAND_ERROR_IS_FATAL ANY)
include("${PROJECT_BINARY_DIR}/unity_groups.cmake")
