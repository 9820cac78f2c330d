#include "fuzz/fuzzing.hpp"
#include "schedule/ring_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(
        data, size, [](const std::string& text) { (void)schedule::parse_ring(text, "file"); });
}
