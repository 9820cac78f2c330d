#include "schedule/algorithm_entry.hpp"

#include <algorithm>

namespace espalier::schedule {

std::string_view name_of(Family family) {
    switch (family) {
        case Family::grid:
            return "grid";
        case Family::local:
            return "local";
        case Family::sender:
            return "sender";
        case Family::exchange:
            return "exchange";
        case Family::demands:
            return "demands";
        case Family::allgather:
            return "allgather";
        case Family::composed:
            return "composed";
        case Family::ring:
            return "ring";
    }
    return {};
}

bool serves(const AlgorithmEntry& algorithm, Kind kind) {
    return std::ranges::find(algorithm.collectives, kind) != algorithm.collectives.end();
}

}  // namespace espalier::schedule
