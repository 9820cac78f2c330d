# Code that includes mpi.h is compiled once for each MPI that is found ("flavour"):
# openmpi, mpich and smpi (SimGrid's simulated MPI). A missing one is skipped.
#
# Debian has a compiler wrapper by its own name for each of the two libraries. Where it has not, or
# where MPI_HOME or MPI_C_COMPILER names one MPI, that of CMake's FindMPI is the only one.
#
# Each flavour <f> has the target espalier::mpi_<f>, which carries its headers, its library and the
# macros ESPALIER_MPI_<F> and ESPALIER_MPI_NAME. ESPALIER_MPI_FLAVOURS lists those found.

include(CheckSymbolExists)

option(ESPALIER_MPI "Build what needs MPI, for each MPI that is found" ON)
set(ESPALIER_MPI_FLAVOURS "")

# A sanitizer's run time has to be the first library of a process, and smpirun loads a program as
# a plug-in.
set(ESPALIER_MPI_CANDIDATES openmpi mpich smpi)
if(NOT ESPALIER_MPI)
    set(ESPALIER_MPI_CANDIDATES "")
elseif(ESPALIER_SANITIZE)
    list(REMOVE_ITEM ESPALIER_MPI_CANDIDATES smpi)
endif()

find_program(ESPALIER_MPICXX_OPENMPI NAMES mpicxx.openmpi)
find_program(ESPALIER_MPIRUN_OPENMPI NAMES mpirun.openmpi)
find_program(ESPALIER_MPICXX_MPICH NAMES mpicxx.mpich)
find_program(ESPALIER_MPIRUN_MPICH NAMES mpiexec.mpich)
find_program(ESPALIER_MPICXX_SMPI NAMES smpicxx)
find_program(ESPALIER_MPIRUN_SMPI NAMES smpirun)
find_library(ESPALIER_SIMGRID_LIBRARY NAMES simgrid)
find_path(ESPALIER_SMPI_INCLUDE_DIR NAMES smpi/smpi_helpers.h)
mark_as_advanced(
    ESPALIER_MPICXX_OPENMPI ESPALIER_MPIRUN_OPENMPI ESPALIER_MPICXX_MPICH ESPALIER_MPIRUN_MPICH
    ESPALIER_MPICXX_SMPI ESPALIER_MPIRUN_SMPI ESPALIER_SIMGRID_LIBRARY ESPALIER_SMPI_INCLUDE_DIR)

# Sets <result> to the flavour of FindMPI's MPI; empty if it finds none, or one of neither kin.
function(espalier_find_mpi result)
    set(${result} "" PARENT_SCOPE)
    find_package(MPI COMPONENTS C)
    if(NOT MPI_C_FOUND)
        return()
    endif()
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
    set(CMAKE_REQUIRED_QUIET ON)
    # Intel MPI, MVAPICH and Cray's have MPICH's ABI.
    foreach(mark openmpi:OPEN_MPI mpich:MPICH_VERSION mpich:I_MPI_VERSION)
        string(REPLACE ":" ";" mark "${mark}")
        list(GET mark 0 flavour)
        list(GET mark 1 macro)
        check_symbol_exists(${macro} mpi.h ESPALIER_MPI_HAS_${macro})
        if(ESPALIER_MPI_HAS_${macro})
            set(${result} ${flavour} PARENT_SCOPE)
            return()
        endif()
    endforeach()
    message(STATUS "MPI: ${MPI_C_COMPILER} is neither Open MPI's nor of MPICH's kin, skipped")
endfunction()

# Adds to <target> the include folders, library folders and libraries in a compiler command line.
# The MPI C++ bindings are left out: nobody here uses them, and MPI 3 removed them.
function(espalier_mpi_apply_command_line target command_line)
    separate_arguments(words UNIX_COMMAND "${command_line}")
    foreach(word IN LISTS words)
        if(word MATCHES "^-I(.+)")
            target_include_directories(${target} SYSTEM INTERFACE "${CMAKE_MATCH_1}")
        elseif(word MATCHES "^-L(.+)")
            target_link_directories(${target} INTERFACE "${CMAKE_MATCH_1}")
        elseif(word MATCHES "^-l(mpi_cxx|mpichcxx|mpicxx)$")
            continue()
        elseif(word MATCHES "^-l(.+)")
            target_link_libraries(${target} INTERFACE "${CMAKE_MATCH_1}")
        endif()
    endforeach()
endfunction()

set(found_flavour "")
if(ESPALIER_MPI AND (MPI_HOME OR DEFINED ENV{MPI_HOME} OR MPI_C_COMPILER
                     OR NOT (ESPALIER_MPICXX_OPENMPI OR ESPALIER_MPICXX_MPICH)))
    espalier_find_mpi(found_flavour)
    list(REMOVE_ITEM ESPALIER_MPI_CANDIDATES openmpi mpich)
    list(PREPEND ESPALIER_MPI_CANDIDATES ${found_flavour})
    if(found_flavour)
        string(TOUPPER ${found_flavour} upper)
        set(ESPALIER_MPICXX_${upper} "${MPI_C_COMPILER}")
        set(ESPALIER_MPIRUN_${upper} "${MPIEXEC_EXECUTABLE}")
    endif()
endif()

foreach(flavour IN LISTS ESPALIER_MPI_CANDIDATES)
    string(TOUPPER ${flavour} upper)
    if(NOT ESPALIER_MPICXX_${upper} OR NOT ESPALIER_MPIRUN_${upper})
        message(STATUS "MPI ${flavour}: not found, skipped")
        continue()
    endif()

    set(command_line "")
    if(flavour STREQUAL found_flavour)
        set(queries "")
    elseif(flavour STREQUAL "openmpi")
        set(queries --showme:compile --showme:link)
    elseif(flavour STREQUAL "mpich")
        set(queries -show)
    else()
        set(queries "")
    endif()
    set(usable TRUE)
    foreach(query IN LISTS queries)
        execute_process(
            COMMAND ${ESPALIER_MPICXX_${upper}} ${query}
            OUTPUT_VARIABLE answer
            OUTPUT_STRIP_TRAILING_WHITESPACE
            RESULT_VARIABLE status)
        if(NOT status EQUAL 0)
            set(usable FALSE)
        endif()
        string(APPEND command_line " ${answer}")
    endforeach()
    if(flavour STREQUAL "smpi" AND NOT (ESPALIER_SIMGRID_LIBRARY AND ESPALIER_SMPI_INCLUDE_DIR))
        set(usable FALSE)
    endif()
    if(NOT usable)
        message(STATUS "MPI ${flavour}: its compiler wrapper does not work, skipped")
        continue()
    endif()

    set(target espalier_mpi_${flavour})
    add_library(${target} INTERFACE)
    add_library(espalier::mpi_${flavour} ALIAS ${target})
    target_compile_definitions(
        ${target} INTERFACE ESPALIER_MPI_${upper}=1 ESPALIER_MPI_NAME="${flavour}"
                            OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
    if(flavour STREQUAL "smpi")
        target_include_directories(${target} SYSTEM
                                   INTERFACE "${ESPALIER_SMPI_INCLUDE_DIR}/smpi")
        target_compile_options(
            ${target} INTERFACE "SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/smpi_prelude.h")
        target_link_libraries(${target} INTERFACE "${ESPALIER_SIMGRID_LIBRARY}" m)
    elseif(flavour STREQUAL found_flavour)
        target_link_libraries(${target} INTERFACE MPI::MPI_C)
    else()
        espalier_mpi_apply_command_line(${target} "${command_line}")
    endif()
    list(APPEND ESPALIER_MPI_FLAVOURS ${flavour})
    message(STATUS "MPI ${flavour}: ${ESPALIER_MPIRUN_${upper}}")
endforeach()

# Links <target> with espalier::mpi_<flavour>, with LINK and with <name>_<flavour> for each <name>
# of LINK_FLAVOURED.
macro(espalier_mpi_link target flavour scope)
    target_link_libraries(${target} ${scope} ${MPI_LINK})
    foreach(name IN LISTS MPI_LINK_FLAVOURED)
        target_link_libraries(${target} ${scope} ${name}_${flavour})
    endforeach()
    target_link_libraries(${target} ${scope} espalier::mpi_${flavour})
endmacro()

# espalier_mpi_library(NAME <name> SOURCES <file>... [LINK <target>...]
#                      [LINK_FLAVOURED <name>...] [FLAVOURS <flavour>...] [OBJECT])
#
# Static library <name>_<flavour> for each flavour; an INTERFACE library if there is no source yet.
# With OBJECT, all of it goes into whatever links it, needed or not.
function(espalier_mpi_library)
    cmake_parse_arguments(PARSE_ARGV 0 MPI "OBJECT" "NAME" "SOURCES;LINK;LINK_FLAVOURED;FLAVOURS")
    set(type STATIC)
    if(MPI_OBJECT)
        set(type OBJECT)
    endif()
    if(NOT MPI_FLAVOURS)
        set(MPI_FLAVOURS ${ESPALIER_MPI_FLAVOURS})
    endif()
    foreach(flavour IN LISTS MPI_FLAVOURS)
        if(NOT flavour IN_LIST ESPALIER_MPI_FLAVOURS)
            continue()
        endif()
        set(target ${MPI_NAME}_${flavour})
        if(MPI_SOURCES)
            add_library(${target} ${type} ${MPI_SOURCES})
            espalier_mpi_link(${target} ${flavour} PUBLIC)
        else()
            add_library(${target} INTERFACE)
            espalier_mpi_link(${target} ${flavour} INTERFACE)
        endif()
    endforeach()
endfunction()

# espalier_mpi_executable(NAME <name> SOURCES <file>... [LINK <target>...]
#                         [LINK_FLAVOURED <name>...] [FLAVOURS <flavour>...]
#                         [OUTPUT_NAME <prefix>] [FINAL])
#
# Program <name>_<flavour> for each flavour, to be started by that flavour's own launcher.
# OUTPUT_NAME names the file <prefix>-<flavour>; FINAL puts it at the top of the build folder.
function(espalier_mpi_executable)
    cmake_parse_arguments(PARSE_ARGV 0 MPI "FINAL" "NAME;OUTPUT_NAME"
                          "SOURCES;LINK;LINK_FLAVOURED;FLAVOURS")
    if(NOT MPI_FLAVOURS)
        set(MPI_FLAVOURS ${ESPALIER_MPI_FLAVOURS})
    endif()
    foreach(flavour IN LISTS MPI_FLAVOURS)
        if(NOT flavour IN_LIST ESPALIER_MPI_FLAVOURS)
            continue()
        endif()
        set(target ${MPI_NAME}_${flavour})
        if(flavour STREQUAL "smpi")
            # smpirun loads a copy of the program for each rank, so it has to be a shared object,
            # with a visible main.
            add_library(${target} MODULE ${MPI_SOURCES})
            set_target_properties(
                ${target}
                PROPERTIES PREFIX ""
                           SUFFIX ""
                           CXX_VISIBILITY_PRESET default
                           C_VISIBILITY_PRESET default
                           LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
            target_link_options(${target} PRIVATE -Wl,-z,defs)
        else()
            add_executable(${target} ${MPI_SOURCES})
        endif()
        espalier_mpi_link(${target} ${flavour} PRIVATE)
        if(MPI_OUTPUT_NAME)
            set_target_properties(${target} PROPERTIES OUTPUT_NAME ${MPI_OUTPUT_NAME}-${flavour})
        endif()
        if(MPI_FINAL)
            espalier_final_artefact(${target})
        endif()
    endforeach()
endfunction()
