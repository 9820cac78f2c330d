#include "core/json_reader.hpp"
#include "directory/measurement_files.hpp"
#include "fuzz/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(data, size, [](const std::string& text) {
        if (directory::is_measurement_csv(text)) {
            (void)directory::parse_measurement_csv(text, "file", {});
            return;
        }
        Json storage;
        (void)directory::parse_measurements(JsonValue::parse("file", text, storage));
    });
}
