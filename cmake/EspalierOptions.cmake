# How everything here is compiled: language, warnings, sanitizers, and where results go.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

# Assertions stay on in a release: they guard invariants that nobody would see broken otherwise.
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")

# The static layers end up in preloaded shared libraries.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
# An MPI need not be where the loader looks by itself.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

set(ESPALIER_SANITIZE "" CACHE STRING "Sanitizers to build with: empty, address,undefined or thread")

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

add_compile_definitions(ESPALIER_VERSION="${PROJECT_VERSION}")

# Somebody else's compiler may warn of what ours does not: that is no reason not to build.
option(ESPALIER_WERROR "Warnings are errors; the presets switch this on" OFF)
set(CMAKE_COMPILE_WARNING_AS_ERROR ${ESPALIER_WERROR})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    # Not the one that the tests are run with; 14 sees overflows in its own vector.
    set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
endif()
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wsign-conversion -Wpedantic)
# An initializer that names some members leaves the others at their defaults, on purpose.
add_compile_options(-Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # SMPI loads one copy of a program for each rank; a unique symbol would be shared by them all.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
    # Left to itself, g++ collects garbage many times a source, which takes a tenth of its time and
    # saves 150 MB.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # g++ 12 takes "text" + string for an overlapping copy (its bug 105651).
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
    endif()
endif()

if(ESPALIER_SANITIZE)
    add_compile_options(-fsanitize=${ESPALIER_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Instrumented code makes GCC 12 see uses of what is not set, in the standard library above
        # all.
        add_compile_options(-Wno-maybe-uninitialized)
    endif()
    add_link_options(-fsanitize=${ESPALIER_SANITIZE})
    if(ESPALIER_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

option(ESPALIER_FUZZ "Build the fuzzers of tests/fuzz; needs clang++" OFF)
if(ESPALIER_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Puts what a user runs or preloads at the top of the build folder.
function(espalier_final_artefact target)
    set_target_properties(
        ${target}
        PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                   LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                   ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()
