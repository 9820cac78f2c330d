# Manual pages and completion, of what the programs say of themselves.

set(pages "${PROJECT_BINARY_DIR}/pages")
set(stamps "")
foreach(target espalier_cli espalier_testbed)
    if(NOT TARGET ${target})
        continue()
    endif()
    get_target_property(name ${target} OUTPUT_NAME)
    set(stamp "${pages}/${name}.fish")
    # zsh finds a completion by the name of its file alone.
    add_custom_command(
        OUTPUT "${stamp}"
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${pages}/man1" "${pages}/bash" "${pages}/zsh"
        COMMAND ${target} help --pages "${pages}/man1"
        COMMAND ${target} completion bash > "${pages}/bash/${name}"
        COMMAND ${target} completion zsh > "${pages}/zsh/_${name}"
        COMMAND ${target} completion fish > "${stamp}"
        DEPENDS ${target}
        COMMENT "Pages of ${name}"
        VERBATIM)
    list(APPEND stamps "${stamp}")
endforeach()
add_custom_target(espalier_pages ALL DEPENDS ${stamps})

install(DIRECTORY "${pages}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
install(DIRECTORY "${pages}/bash/"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(DIRECTORY "${pages}/zsh/" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES ${stamps} DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# As in a clone, so that the pages' links and commands hold.
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}" PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY testbed/examples DESTINATION "${CMAKE_INSTALL_DOCDIR}/testbed")

add_custom_target(
    uninstall
    COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}" -P
            "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake"
    VERBATIM)
