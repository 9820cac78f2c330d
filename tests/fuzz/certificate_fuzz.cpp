#include "fuzz/fuzzing.hpp"
#include "plan/node/certificate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(data, size, [](const std::string& text) {
        (void)plan::node::parse_certificate(text, "file");
    });
}
