#include "fuzz/fuzzing.hpp"
#include "runtime/logic/settings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(data, size, [](const std::string& text) {
        // One variable says it all, and never throws.
        (void)runtime::read_settings([&](const std::string&) { return std::optional(text); });
    });
}
