#include "fuzz/fuzzing.hpp"
#include "importers/graphml.hpp"
#include "importers/xml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(data, size, [](const std::string& text) {
        const importers::XmlFile file("file", text);
        (void)importers::read_graphml(file);
    });
}
