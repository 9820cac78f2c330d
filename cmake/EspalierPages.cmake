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
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        PATTERN CMakeLists.txt EXCLUDE
        PATTERN conf.py EXCLUDE)
install(DIRECTORY testbed/examples DESTINATION "${CMAKE_INSTALL_DOCDIR}/testbed")

# And as a site, where Sphinx reads Markdown; a link that leads nowhere fails.
find_program(ESPALIER_SPHINX sphinx-build)
find_program(ESPALIER_MYST myst-anchors)
if(ESPALIER_SPHINX AND ESPALIER_MYST)
    file(GLOB documents CONFIGURE_DEPENDS docs/*.md docs/conf.py docs/images/*)
    add_custom_command(
        OUTPUT "${PROJECT_BINARY_DIR}/site/index.html"
        COMMAND "${CMAKE_COMMAND}" -E env PYTHONDONTWRITEBYTECODE=1 "${ESPALIER_SPHINX}" -q -W
                --keep-going -d "${PROJECT_BINARY_DIR}/site-doctrees"
                "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_BINARY_DIR}/site"
        DEPENDS ${documents}
        COMMENT "The documents as a site"
        VERBATIM)
    add_custom_target(site ALL DEPENDS "${PROJECT_BINARY_DIR}/site/index.html")
    install(DIRECTORY "${PROJECT_BINARY_DIR}/site/" DESTINATION "${CMAKE_INSTALL_DOCDIR}/html"
            PATTERN .buildinfo EXCLUDE)
endif()

add_custom_target(
    uninstall
    COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}" -P
            "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake"
    VERBATIM)
