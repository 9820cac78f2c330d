# Tests: GoogleTest programs for the layers, scripts for the whole, and programs under MPI.

include(GoogleTest)

# Open MPI refuses to start as root, and with more ranks than cores, unless told; idle ranks yield,
# because the tests have more of them than there are cores. MPI libraries leak by design, and what
# their threads do, which the thread sanitizer does not see, it would take for races.
set(ESPALIER_MPI_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none
    OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none
    ASAN_OPTIONS=detect_leaks=0
    TSAN_OPTIONS=ignore_noninstrumented_modules=1)
if(ESPALIER_SANITIZE STREQUAL "thread")
    # A thread of the tests' own calls MPI, too (tests/mpi/seen_transport.cpp). What UCX hooks into
    # is called by threads of which the sanitizer has taken leave.
    list(APPEND ESPALIER_MPI_TEST_ENVIRONMENT OMPI_MPI_THREAD_LEVEL=3
         MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE UCX_MEM_EVENTS=no)
endif()

# espalier_gtest(NAME <name> SOURCES <file>... LINK <target>... LABEL <label>)
function(espalier_gtest)
    cmake_parse_arguments(PARSE_ARGV 0 TEST "" "NAME;LABEL" "SOURCES;LINK")
    add_executable(${TEST_NAME} ${TEST_SOURCES})
    target_include_directories(${TEST_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_compile_definitions(${TEST_NAME}
                               PRIVATE ESPALIER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${TEST_NAME} PRIVATE ${TEST_LINK} GTest::gmock_main rapidcheck)
    gtest_discover_tests(
        ${TEST_NAME}
        TEST_PREFIX "${TEST_LABEL}."
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS ${TEST_LABEL})
endfunction()

# add_mpi_test(<name> SOURCES <file>... [CORES <n>...] [LINK <target>...]
#              [LINK_FLAVOURED <name>...] [FLAVOURS <flavour>...] [ARGUMENTS <word>...]
#              [ENVIRONMENT <NAME=value>...] [NATIVE] [THREADS])
#
# Builds <name> for each flavour and runs it at each number of ranks in CORES (1 2 4 by default),
# as the tests mpi.<name>.<flavour>.<n>. Sources are GoogleTests, and every rank runs all of them;
# a source with a main of its own is fine, too. Linked with the measure layer, and, unless NATIVE,
# with the runtime layer, which interposes its MPI calls. With THREADS it is one of those that the
# preset `threads` builds, and runs with two ranks.
function(add_mpi_test name)
    cmake_parse_arguments(PARSE_ARGV 1 TEST "NATIVE;THREADS" ""
                          "SOURCES;CORES;LINK;LINK_FLAVOURED;FLAVOURS;ARGUMENTS;ENVIRONMENT")
    if(NOT TEST_CORES)
        set(TEST_CORES 1 2 4)
    endif()
    if(NOT TEST_FLAVOURS)
        set(TEST_FLAVOURS ${ESPALIER_MPI_FLAVOURS})
    endif()
    set(runtime espalier_runtime)
    if(TEST_NATIVE)
        set(runtime "")
    endif()
    set(transport "")
    if(ESPALIER_SANITIZE STREQUAL "thread")
        set(transport espalier_seen_transport)
    endif()
    espalier_mpi_executable(
        NAME ${name}
        SOURCES ${TEST_SOURCES}
        FLAVOURS ${TEST_FLAVOURS}
        LINK ${TEST_LINK}
        LINK_FLAVOURED espalier_mpi_test_main ${TEST_LINK_FLAVOURED} ${runtime} espalier_measure
                       ${transport})

    foreach(flavour IN LISTS TEST_FLAVOURS)
        set(target ${name}_${flavour})
        if(NOT TARGET ${target})
            continue()
        endif()
        target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
        target_compile_definitions(${target}
                                   PRIVATE ESPALIER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
        set(labels mpi ${flavour})
        if(TEST_THREADS)
            list(APPEND labels threads)
            add_dependencies(espalier_threads_tests ${target})
        endif()
        foreach(ranks IN LISTS TEST_CORES)
            if(flavour STREQUAL "openmpi")
                set(launch ${ESPALIER_MPIRUN_OPENMPI} --oversubscribe --allow-run-as-root -np
                           ${ranks})
            elseif(flavour STREQUAL "mpich")
                set(launch ${ESPALIER_MPIRUN_MPICH} -n ${ranks})
            else()
                set(platform "${PROJECT_SOURCE_DIR}/tests/mpi/smpi-platform.xml")
                set(hosts "${PROJECT_SOURCE_DIR}/tests/mpi/smpi-hosts.txt")
                set(launch ${ESPALIER_MPIRUN_SMPI} -np ${ranks} -platform ${platform} -hostfile
                           ${hosts} --log=root.thresh:warning)
            endif()
            set(test mpi.${name}.${flavour}.${ranks})
            add_test(NAME ${test} COMMAND ${launch} $<TARGET_FILE:${target}> ${TEST_ARGUMENTS})
            set_tests_properties(
                ${test}
                PROPERTIES LABELS "${labels}"
                           ENVIRONMENT "${ESPALIER_MPI_TEST_ENVIRONMENT};${TEST_ENVIRONMENT}")
            # A simulation is one process; the others poll, and would slow each other down.
            if(NOT flavour STREQUAL "smpi" AND ranks GREATER 1)
                set_tests_properties(${test} PROPERTIES PROCESSORS 2)
            endif()
        endforeach()
    endforeach()
endfunction()
