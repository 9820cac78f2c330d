#include "fuzz/fuzzing.hpp"
#include "schedule/json.hpp"
#include "schedule/validate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace espalier;
    return fuzz::try_reading(data, size, [](const std::string& text) {
        const schedule::StatedPlan read = schedule::parse_schedule(text, "file");
        // Whatever a file says, looking for what is wrong with it must not go wrong itself.
        (void)schedule::find_violation(read.plan.schedule);
    });
}
