#pragma once

#include "core/json.hpp"
#include "frontend/problem_options.hpp"
#include "libraries/rules.hpp"

#include <string>

namespace espalier::frontend {

/// Rules for a library's own collectives, as people ask for them: each field is the option of that
/// name of `espalier export`. Empty: not given.
struct TuningOptions {
    Named<network::Network()> network;
    std::string target;       ///< `--for`: openmpi-tuned or mpich-json
    std::string hosts;        ///< a file of host names, in the order of ranks
    std::string slots;        ///< ranks on each host
    std::string collectives;  ///< a list
    std::string bytes;        ///< a list, with ranges
};

/// Whether `--for` names rules of a library.
[[nodiscard]] bool is_tuned(const std::string& target);

/// Throws InputError naming the option.
[[nodiscard]] libraries::Tuning tune(const TuningOptions& options);
/// The text of the file that the target's library reads.
[[nodiscard]] std::string rules_text(const libraries::Tuning& tuning);

/// Format `espalier-tuning`, version 1.
[[nodiscard]] Json to_json(const libraries::Tuning& tuning);

}  // namespace espalier::frontend
