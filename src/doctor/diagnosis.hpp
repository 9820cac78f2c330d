#pragma once

#include "core/json.hpp"
#include "doctor/facts.hpp"

#include <string>
#include <vector>

namespace espalier::doctor {

/// Something that is wrong, or that could be better.
struct Finding {
    enum class Kind {
        fault,   ///< a host, or a way, is unlike its peers, or contradicts itself
        advice,  ///< what all have in common, or what may be as it should
    };
    Kind kind = Kind::fault;
    std::string cause;               ///< a word, of those in docs/doctor.md
    std::vector<std::string> hosts;  ///< whose, or between which
    std::string where;               ///< the interface, way or setting; with `hosts` it reads well
    std::string evidence;            ///< in figures, and the peers' beside them
    std::string remedy;              ///< which setting or command mends it
};

/// What follows of what was seen: faults first, of each kind the more certain first. A host, a way
/// between two, or one between sites is held against others like it, never against a limit that
/// holds for all networks; what many have in common is no fault. Where one cause explains what was
/// seen, its consequences are left out.
[[nodiscard]] std::vector<Finding> diagnose(const Facts& facts);

/// Indices of the pairs whose losses, delays or rates findings rest on.
[[nodiscard]] std::vector<std::size_t> suspicious_pairs(const Facts& facts);

}  // namespace espalier::doctor
