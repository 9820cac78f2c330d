#include "demands/checkpoints.hpp"

#include "simulate/use.hpp"

#include <algorithm>

namespace espalier::demands {

std::string_view name_of(Checkpoints checkpoints) {
    switch (checkpoints) {
        case Checkpoints::never:
            return "never";
        case Checkpoints::half:
            return "half";
        case Checkpoints::every:
            return "every";
    }
    return {};
}

std::string_view name_of(Knowledge knowledge) {
    return knowledge == Knowledge::progress ? "progress" : "directory";
}

std::optional<double> next_checkpoint(Checkpoints checkpoints, double now,
                                      std::vector<double> ends) {
    if (checkpoints == Checkpoints::never) return std::nullopt;
    std::erase_if(ends, [&](double end) { return !simulate::clearly_less(now, end); });
    if (ends.empty()) return std::nullopt;
    const std::size_t awaited = checkpoints == Checkpoints::every ? 0 : (ends.size() - 1) / 2;
    const auto place = ends.begin() + static_cast<std::ptrdiff_t>(awaited);
    std::ranges::nth_element(ends, place);
    return *place;
}

}  // namespace espalier::demands
