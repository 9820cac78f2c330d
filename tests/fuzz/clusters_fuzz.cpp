#include "fuzz/fuzzing.hpp"
#include "network/clusters_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(
        data, size, [](const std::string& text) { (void)network::parse_clusters(text, "file"); });
}
