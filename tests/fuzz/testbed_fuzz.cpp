#include "fuzz/fuzzing.hpp"
#include "testbed/describe.hpp"
#include "testbed/read_topology.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(data, size, [](const std::string& text) {
        const testbed::Topology topology = testbed::parse_topology(text, "file");
        // All that is built of many hosts is built of few, and sooner.
        if (topology.hosts.size() <= 20) (void)testbed::describe(topology);
    });
}
