#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "libraries/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace espalier::libraries {

namespace {

using schedule::Kind;

/// A decision: conditions as MPICH writes them, in the order in which it tries them, and what
/// follows from each; its last condition always holds.
Json leaf(std::string_view algorithm) {
    return {{fmt::format("algorithm=MPIR_{}", algorithm), Json::object()}};
}
template <typename... Branches>
Json branches(const Branches&... each) {
    Json decision = Json::object();
    ((decision[each.first] = each.second), ...);
    return decision;
}
std::pair<std::string, Json> when(std::string condition, Json then) {
    return {std::move(condition), std::move(then)};
}

/// How the names of a collective's algorithms begin and what its sizes are called.
struct Words {
    Kind kind;
    std::string_view collective;
    std::string_view title;
    std::string_view size;
    bool by_all_blocks;
};
constexpr std::array tuned_words{
    Words{Kind::broadcast, "bcast", "Bcast", "avg_msg_size", false},
    Words{Kind::reduce, "reduce", "Reduce", "avg_msg_size", false},
    Words{Kind::allreduce, "allreduce", "Allreduce", "avg_msg_size", false},
    Words{Kind::allgather, "allgather", "Allgather", "total_msg_size", true},
    Words{Kind::alltoall, "alltoall", "Alltoall", "avg_msg_size", false},
    Words{Kind::reduce_scatter, "reduce_scatter", "Reduce_scatter", "total_msg_size", true},
};

/// The variants of a collective: blocking, and the one whose algorithms' names have `sched_`.
std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return text;
}
std::string intra(std::string_view title, bool blocking, std::string_view name) {
    return blocking ? fmt::format("{}_intra_{}", title, name)
                    : fmt::format("I{}_intra_sched_{}", lower(std::string(title)), name);
}

Json usual_broadcast(bool blocking) {
    const auto by = [&](std::string_view name) { return leaf(intra("Bcast", blocking, name)); };
    // Blocking ones up to these sizes, others below them.
    const char* sign = blocking ? "<=" : "<";
    const auto to = [&](int bytes) { return fmt::format("avg_msg_size{}{}", sign, bytes); };
    Json decision = branches(
        when("comm_size<8", by("binomial")),
        when("comm_size=pow2",
             branches(when(to(12288), by("binomial")),
                      when(to(524288), by("scatter_recursive_doubling_allgather")),
                      when("avg_msg_size=any", by("scatter_ring_allgather")))),
        when("comm_size=any", branches(when(to(12288), by("binomial")),
                                       when("avg_msg_size=any", by("scatter_ring_allgather")))));
    if (blocking) return decision;
    return branches(when("comm_hierarchy=parent", by("smp")), when("comm_hierarchy=any", decision));
}

/// Divides vectors of built-in operators that have an element for each rank.
Json divided(std::string_view title, bool blocking, std::string_view whole,
             std::string_view parts) {
    const auto by = [&](std::string_view name) { return leaf(intra(title, blocking, name)); };
    return branches(when("is_op_built_in=yes",
                         branches(when("count<pow2", by(whole)), when("count=any", by(parts)))),
                    when("is_op_built_in=no", by(whole)));
}

Json usual_reduce(bool blocking) {
    const auto by = [&](std::string_view name) { return leaf(intra("Reduce", blocking, name)); };
    Json decision = branches(
        when("avg_msg_size<=2048", by("binomial")),
        when("avg_msg_size=any", divided("Reduce", blocking, "binomial", "reduce_scatter_gather")));
    if (blocking) return decision;
    return branches(
        when("comm_hierarchy=parent", branches(when("is_commutative=yes", by("smp")),
                                               when("is_commutative=no", by("binomial")))),
        when("comm_hierarchy=any", decision));
}

Json usual_allreduce(bool blocking) {
    const auto by = [&](std::string_view name) { return leaf(intra("Allreduce", blocking, name)); };
    return branches(
        when(blocking ? "avg_msg_size<=8" : "avg_msg_size<=2048", by("recursive_doubling")),
        when("avg_msg_size=any",
             divided("Allreduce", blocking, "recursive_doubling", "reduce_scatter_allgather")));
}

Json usual_allgather(std::string_view title, bool blocking) {
    const auto by = [&](std::string_view name) { return leaf(intra(title, blocking, name)); };
    return branches(
        when("comm_size=pow2", branches(when("total_msg_size<524288", by("recursive_doubling")),
                                        when("total_msg_size=any", by("ring")))),
        when("comm_size=any", branches(when("total_msg_size<81920", by("brucks")),
                                       when("total_msg_size=any", by("ring")))));
}

Json usual_alltoall(bool blocking) {
    const auto by = [&](std::string_view name) { return leaf(intra("Alltoall", blocking, name)); };
    const std::string_view straight = blocking ? "scattered" : "permuted_sendrecv";
    const std::string few = blocking ? "avg_msg_size<=256" : "avg_msg_size<=2048";
    return branches(
        when("is_sendbuf_inplace=yes", by(blocking ? "pairwise_sendrecv_replace" : "inplace")),
        when("is_sendbuf_inplace=no",
             branches(when("comm_size<8", branches(when("avg_msg_size<=32768", by(straight)),
                                                   when("avg_msg_size=any", by("pairwise")))),
                      when("comm_size=any", branches(when(few, by("brucks")),
                                                     when("avg_msg_size<=32768", by(straight)),
                                                     when("avg_msg_size=any", by("pairwise")))))));
}

Json usual_reduce_scatter(std::string_view title, bool blocking) {
    const auto by = [&](std::string_view name) { return leaf(intra(title, blocking, name)); };
    const Json even = branches(when("comm_size=pow2", by("noncommutative")),
                               when("comm_size=any", by("recursive_doubling")));
    const bool blocks = title == "Reduce_scatter_block";
    return branches(
        when("is_commutative=yes", branches(when("total_msg_size<524288", by("recursive_halving")),
                                            when("total_msg_size=any", by("pairwise")))),
        when("is_commutative=no",
             blocks ? even
                    : branches(when("is_block_regular=yes", even),
                               when("is_block_regular=no", by("recursive_doubling")))));
}

Json usual(Kind kind, std::string_view title, bool blocking) {
    switch (kind) {
        case Kind::broadcast:
            return usual_broadcast(blocking);
        case Kind::reduce:
            return usual_reduce(blocking);
        case Kind::allreduce:
            return usual_allreduce(blocking);
        case Kind::allgather:
            return usual_allgather(title, blocking);
        case Kind::alltoall:
            return usual_alltoall(blocking);
        default:
            return usual_reduce_scatter(title, blocking);
    }
}

/// What a rule's algorithm needs to be right, and what happens where that is not so.
Json guarded(const Words& words, std::string_view title, const Rule& rule, std::size_t ranks) {
    const std::string_view name = rule.algorithm->name;
    Json chosen = leaf(intra(title, true, name));
    if (name == "reduce_scatter_gather") return divided(title, true, "binomial", name);
    if (name == "reduce_scatter_allgather") return divided(title, true, "recursive_doubling", name);
    if (words.kind == Kind::alltoall)
        return branches(
            when("is_sendbuf_inplace=yes", leaf(intra(title, true, "pairwise_sendrecv_replace"))),
            when("is_sendbuf_inplace=no", chosen));
    if (words.kind == Kind::reduce_scatter)
        return branches(when("is_commutative=yes", chosen),
                        when("is_commutative=no", usual(words.kind, title, true)));
    if (words.kind == Kind::allgather && name == "recursive_doubling" && (ranks & (ranks - 1)) != 0)
        return leaf(intra(title, true, "brucks"));
    return chosen;
}

/// The rules for communicators of just so many ranks, and what is usual for others.
Json tuned(const Words& words, std::string_view title, const TunedCollective& collective,
           std::size_t ranks) {
    Json sizes = Json::object();
    const auto& rules = collective.rules;
    for (std::size_t r = 0; r < rules.size(); ++r) {
        const Json then = rules[r].algorithm == nullptr ? usual(words.kind, title, true)
                                                        : guarded(words, title, rules[r], ranks);
        if (r + 1 == rules.size()) {
            sizes[fmt::format("{}=any", words.size)] = then;
            break;
        }
        const std::uint64_t end = rules[r + 1].bytes.value * (words.by_all_blocks ? ranks : 1);
        constexpr std::uint64_t most = std::numeric_limits<int>::max();
        sizes[fmt::format("{}<{}", words.size, std::min(end, most))] = then;
        if (end >= most) {
            sizes[fmt::format("{}=any", words.size)] = then;
            break;
        }
    }
    const Json as_usual = usual(words.kind, title, true);
    return branches(when(fmt::format("comm_size<{}", ranks), as_usual),
                    when(fmt::format("comm_size<={}", ranks), sizes),
                    when("comm_size=any", as_usual));
}

Json both(const Json& intra_decision, std::string_view inter) {
    return branches(when("comm_type=intra", intra_decision), when("comm_type=inter", leaf(inter)));
}

void add(Json& selection, const std::string& collective, Json decision) {
    selection[fmt::format("collective={}", collective)] = std::move(decision);
}

/// The collectives that no rule is about, as MPICH performs them by itself.
void add_others(Json& selection) {
    const auto by_size = [](std::string_view title, std::string_view near, std::string_view far) {
        return branches(when("comm_type=intra", leaf(fmt::format("{}_binomial", title))),
                        when("comm_type=inter", branches(when("total_msg_size<2048", leaf(near)),
                                                         when("total_msg_size=any", leaf(far)))));
    };
    add(selection, "allgatherv",
        both(usual_allgather("Allgatherv", true), "Allgatherv_inter_remote_gather_local_bcast"));
    add(selection, "gather",
        by_size("Gather_intra", "Gather_inter_local_gather_remote_send", "Gather_inter_linear"));
    add(selection, "scatter",
        by_size("Scatter_intra", "Scatter_inter_remote_send_local_scatter",
                "Scatter_inter_linear"));
    add(selection, "gatherv", leaf("Gatherv_allcomm_linear"));
    add(selection, "scatterv", leaf("Scatterv_allcomm_linear"));
    for (const std::string title : {"Alltoallv", "Alltoallw"}) {
        const auto in_turn = leaf(title + "_intra_pairwise_sendrecv_replace");
        add(selection, lower(title),
            both(branches(when("is_sendbuf_inplace=yes", in_turn),
                          when("is_sendbuf_inplace=no", leaf(title + "_intra_scattered"))),
                 title + "_inter_pairwise_exchange"));
        add(selection, "i" + lower(title),
            both(branches(when("is_sendbuf_inplace=yes",
                               leaf("I" + lower(title) + "_intra_sched_inplace")),
                          when("is_sendbuf_inplace=no",
                               leaf("I" + lower(title) + "_intra_sched_blocked"))),
                 "I" + lower(title) + "_inter_sched_pairwise_exchange"));
    }
    add(selection, "barrier",
        both(branches(when("comm_hierarchy=parent", leaf("Barrier_intra_smp")),
                      when("comm_hierarchy=any", leaf("Barrier_intra_dissemination"))),
             "Barrier_inter_bcast"));
    add(selection, "scan",
        both(branches(when("is_node_consecutive=yes", leaf("Scan_intra_smp")),
                      when("is_node_consecutive=no", leaf("Scan_intra_recursive_doubling"))),
             "Scan_intra_smp"));
    add(selection, "exscan", leaf("Exscan_intra_recursive_doubling"));
    add(selection, "ibarrier",
        both(leaf("Ibarrier_intra_sched_recursive_doubling"), "Ibarrier_inter_sched_bcast"));
    add(selection, "iscan",
        branches(when("comm_hierarchy=parent", leaf("Iscan_intra_sched_smp")),
                 when("comm_hierarchy=any", leaf("Iscan_intra_sched_recursive_doubling"))));
    add(selection, "iexscan", leaf("Iexscan_intra_sched_recursive_doubling"));
    add(selection, "iallgatherv",
        both(usual_allgather("allgatherv", false),
             "Iallgatherv_inter_sched_remote_gather_local_bcast"));
    add(selection, "igather",
        by_size("Igather_intra_sched", "Igather_inter_sched_short", "Igather_inter_sched_long"));
    add(selection, "iscatter",
        by_size("Iscatter_intra_sched", "Iscatter_inter_sched_remote_send_local_scatter",
                "Iscatter_inter_sched_linear"));
    add(selection, "igatherv", leaf("Igatherv_allcomm_sched_linear"));
    add(selection, "iscatterv", leaf("Iscatterv_allcomm_sched_linear"));
    for (const std::string title :
         {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"}) {
        add(selection, "neighbor_" + title, leaf("Neighbor_" + title + "_allcomm_nb"));
        add(selection, "ineighbor_" + title, leaf("Ineighbor_" + title + "_allcomm_sched_linear"));
    }
}

/// Between two groups there is one algorithm.
std::string_view inter(Kind kind, bool blocking) {
    switch (kind) {
        case Kind::broadcast:
            return blocking ? "Bcast_inter_remote_send_local_bcast" : "Ibcast_inter_sched_flat";
        case Kind::reduce:
            return blocking ? "Reduce_inter_local_reduce_remote_send"
                            : "Ireduce_inter_sched_local_reduce_remote_send";
        case Kind::allreduce:
            return blocking ? "Allreduce_inter_reduce_exchange_bcast"
                            : "Iallreduce_inter_sched_remote_reduce_local_bcast";
        case Kind::allgather:
            return blocking ? "Allgather_inter_local_gather_remote_bcast"
                            : "Iallgather_inter_sched_local_gather_remote_bcast";
        case Kind::alltoall:
            return blocking ? "Alltoall_inter_pairwise_exchange"
                            : "Ialltoall_inter_sched_pairwise_exchange";
        default:
            return "";
    }
}

}  // namespace

bool takes_mpich_rules(Kind kind) {
    return std::ranges::find(tuned_words, kind, &Words::kind) != tuned_words.end();
}

std::string mpich_selection(const Tuning& tuning) {
    Json selection = Json::object();
    for (const Words& words : tuned_words) {
        const auto collective =
            std::ranges::find(tuning.collectives, words.kind, &TunedCollective::kind);
        std::vector<std::string> titles{std::string(words.title)};
        if (words.kind == Kind::reduce_scatter) titles.emplace_back("Reduce_scatter_block");
        for (const std::string& title : titles) {
            const bool scatters = words.kind == Kind::reduce_scatter;
            const std::string between = scatters ? title + "_inter_remote_reduce_local_scatter"
                                                 : std::string(inter(words.kind, true));
            add(selection, lower(title),
                both(collective == tuning.collectives.end()
                         ? usual(words.kind, title, true)
                         : tuned(words, title, *collective, tuning.ranks),
                     between));
            const std::string small = lower(title);
            const std::string between_i =
                scatters ? "I" + small + "_inter_sched_remote_reduce_local_scatterv"
                         : std::string(inter(words.kind, false));
            add(selection, "i" + small, both(usual(words.kind, title, false), between_i));
        }
    }
    add_others(selection);
    return to_text(selection);
}

}  // namespace espalier::libraries
