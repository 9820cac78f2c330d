#include "fuzz/fuzzing.hpp"
#include "sender/certificate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(
        data, size, [](const std::string& text) { (void)sender::parse_certificate(text, "file"); });
}
