# Run when headers are installed: copies the layers' headers from SOURCE to FOLDER/espalier, and the
# public ones, with what they include of each other named by <espalier/…>. So users need one include
# folder, and none of our layers' names (core, plan, network) is a top-level one of theirs.
file(REMOVE_RECURSE "${FOLDER}")
string(REPLACE " " "|" layers "${LAYERS}")
file(GLOB_RECURSE headers RELATIVE "${SOURCE}" "${SOURCE}/src/*.hpp" "${SOURCE}/include/*.hpp"
     "${SOURCE}/include/*.h")
foreach(header IN LISTS headers)
    if(header MATCHES "^src/((${layers})/.*)$")
        set(target "espalier/${CMAKE_MATCH_1}")
    elseif(header MATCHES "^include/(.*)$")
        set(target "${CMAKE_MATCH_1}")
    else()
        continue()
    endif()
    file(READ "${SOURCE}/${header}" text)
    string(REGEX REPLACE "#include \"((${layers})/[^\"]+)\"" "#include <espalier/\\1>" text "${text}")
    file(WRITE "${FOLDER}/${target}" "${text}")
endforeach()
