#include "libraries/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace espalier::libraries {

namespace {

using schedule::Kind;

/// Its number of a collective (ompi/mca/coll/base/coll_base_functions.h), and whether its rules go
/// by the bytes of all ranks' blocks. What it goes by for gathers and scatters depends on the
/// version.
struct Numbered {
    Kind kind;
    int number;
    bool by_all_blocks;
};
constexpr std::array numbered{
    Numbered{Kind::allgather, 0, true}, Numbered{Kind::allreduce, 2, false},
    Numbered{Kind::alltoall, 3, true},  Numbered{Kind::broadcast, 7, false},
    Numbered{Kind::reduce, 11, false},  Numbered{Kind::reduce_scatter, 12, true},
};

const Numbered* find_numbered(Kind kind) {
    const auto* const found = std::ranges::find(numbered, kind, &Numbered::kind);
    return found == numbered.end() ? nullptr : found;
}

/// One rule for any size: what it usually does.
std::string as_usual(std::size_t ranks, std::string_view which) {
    return fmt::format("{} # {} ranks: as usual\n1\n0 0 0 0\n", ranks, which);
}

}  // namespace

bool takes_openmpi_rules(Kind kind) { return find_numbered(kind) != nullptr; }

bool needs_operators_that_commute(const Tuning& tuning) {
    constexpr std::array<std::string_view, 3> in_order{"basic_linear", "linear",
                                                       "recursive_doubling"};
    return std::ranges::any_of(tuning.collectives, [&](const TunedCollective& collective) {
        return schedule::combines(collective.kind) &&
               std::ranges::any_of(collective.rules, [&](const Rule& rule) {
                   return rule.algorithm != nullptr &&
                          std::ranges::find(in_order, rule.algorithm->name) == in_order.end();
               });
    });
}

std::string openmpi_rules(const Tuning& tuning) {
    std::string text = fmt::format(
        "{} # collectives; a rule: from so many bytes, algorithm (0: as usual), fan-out, bytes of "
        "a segment\n",
        tuning.collectives.size());
    for (const TunedCollective& collective : tuning.collectives) {
        const Numbered& numbers = *find_numbered(collective.kind);
        text += fmt::format("{} # {}\n3 # sizes of communicators\n", numbers.number,
                            name_of(collective.kind));
        text += as_usual(1, "fewer");
        text += fmt::format("{} # ranks\n{} # rules\n", tuning.ranks, collective.rules.size());
        for (const Rule& rule : collective.rules) {
            const std::uint64_t bytes =
                rule.bytes.value * (numbers.by_all_blocks ? tuning.ranks : 1);
            const bool usual = rule.algorithm == nullptr;
            text += fmt::format("{} {} 0 {} # {}\n", bytes, usual ? 0 : rule.algorithm->number,
                                rule.segment.value, usual ? "as usual" : rule.algorithm->name);
        }
        text += as_usual(tuning.ranks + 1, "more");
    }
    return text;
}

}  // namespace espalier::libraries
