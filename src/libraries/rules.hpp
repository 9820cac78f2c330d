#pragma once

#include "libraries/library.hpp"
#include "simulate/fabric.hpp"

#include <span>
#include <string>
#include <vector>

namespace espalier::libraries {

/// What a library shall do with calls of at least so many bytes, up to the next rule's.
struct Rule {
    Bytes bytes;  ///< of an operand or a block; the first rule of a collective is from 0
    /// nullptr: what it usually does.
    const Algorithm* algorithm = nullptr;
    Bytes segment;

    friend bool operator==(const Rule&, const Rule&) = default;
};

/// The rules for one collective, and what was predicted.
struct TunedCollective {
    struct Timed {
        Bytes bytes;
        const Algorithm* usual_algorithm = nullptr;
        Seconds usual;
        Rule rule;  ///< whose `bytes` are this size
        Seconds tuned;
    };
    schedule::Kind kind = schedule::Kind::broadcast;
    std::vector<Rule> rules;
    std::vector<Timed> sizes;
};

/// The library's choice among its algorithms for all ranks of a network, by size.
struct Tuning {
    const Library* library = nullptr;
    std::size_t ranks = 0;
    std::vector<TunedCollective> collectives;

    /// How many times as fast calls of all sizes are as usual, in geometric mean.
    [[nodiscard]] double gain() const;
};

/// Chooses for these collectives, of which the library performs each, at each of these sizes
/// (ascending); between two sizes the rule of the smaller one holds. Another algorithm is chosen
/// only where it is predicted to be (1 + `uncertainty`)^2 times as fast as the usual one, since
/// both predictions may be so far off. `fabric`'s nodes are the ranks; long messages wait for
/// their receivers (network::usual_eager_bytes). Throws InputError where it does not know a cost.
[[nodiscard]] Tuning tune(const Library& library, const simulate::Fabric& fabric,
                          std::span<const schedule::Kind> kinds, std::span<const Bytes> sizes,
                          double uncertainty);

/// The rules in the format that Open MPI 4 and 5 read by coll_tuned_dynamic_rules_filename, for
/// communicators of just so many ranks.
[[nodiscard]] std::string openmpi_rules(const Tuning& tuning);
/// Whether some of these rules are right only for operators that commute: Open MPI follows them
/// whatever the operator is.
[[nodiscard]] bool needs_operators_that_commute(const Tuning& tuning);
/// The collectives for which Open MPI's rules can say something.
[[nodiscard]] bool takes_openmpi_rules(schedule::Kind kind);

/// The rules in the format that MPICH 4.0 reads by MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, for
/// communicators of just so many ranks; for all else what it does by itself, since it ends where a
/// file says nothing of a collective.
[[nodiscard]] std::string mpich_selection(const Tuning& tuning);
/// The collectives among whose algorithms MPICH has a choice.
[[nodiscard]] bool takes_mpich_rules(schedule::Kind kind);

}  // namespace espalier::libraries
