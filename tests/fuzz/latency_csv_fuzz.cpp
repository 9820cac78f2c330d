#include "fuzz/fuzzing.hpp"
#include "network/json.hpp"
#include "network/latency_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(data, size, [](const std::string& text) {
        const network::PairTable table = network::parse_pair_table(text, "file");
        const network::Network network(network::to_pairwise(table, network::TimeUnit::us));
        (void)network::to_json(network).dump();
    });
}
