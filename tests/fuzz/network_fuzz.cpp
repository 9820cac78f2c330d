#include "fuzz/fuzzing.hpp"
#include "network/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(data, size, [](const std::string& text) {
        const network::Network read = network::parse_network(text, "file");
        const std::string written = network::to_json(read).dump();
        const network::Network again = network::parse_network(written, "written");
        fuzz::require(network::to_json(again).dump() == written);
    });
}
