#include "schedule/ring.hpp"

namespace espalier::schedule {

std::string_view name_of(RingSharing sharing) {
    return sharing == RingSharing::fair ? "fair" : "reserved";
}

std::optional<RingSharing> find_sharing(std::string_view name) {
    for (const RingSharing sharing : {RingSharing::reserved, RingSharing::fair})
        if (name == name_of(sharing)) return sharing;
    return std::nullopt;
}

}  // namespace espalier::schedule
