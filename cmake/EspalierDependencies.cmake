# Third-party libraries, all from the distribution's packages (scripts/lib.sh lists them).

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(CURL 7.87 REQUIRED)
find_package(pugixml REQUIRED)
if(BUILD_TESTING)
    find_package(GTest REQUIRED)
    find_package(rapidcheck REQUIRED)
endif()
