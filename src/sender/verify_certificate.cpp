#include "sender/verify_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace espalier::sender {

namespace {

__extension__ using Wide = __int128;
constexpr Wide enough = Wide{1} << 110;  // a value above this is not told apart from it
constexpr std::size_t most_ports = 4096;
constexpr double rounding = 0x1p-50;  // relative, of a decimal fraction to binary and back

/// Whether `text` is a number in [0, count), as names of nodes have it.
bool is_below(std::string_view text, std::size_t count) {
    std::size_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && number < count && text == std::to_string(number);
}

std::optional<double> time_of(const network::SenderNetwork& network, std::string_view name) {
    for (const auto& group : network.classes) {
        if (group.listed_as_node ? group.name == name
                                 : name.starts_with(group.name + '-') &&
                                       is_below(name.substr(group.name.size() + 1), group.count))
            return group.transmission_time;
    }
    return std::nullopt;
}

/// Whether `slow` is at least as slow as the classes, place by place.
bool relaxed_by(const std::vector<Proof::Class>& classes, double tick,
                std::map<double, std::uint64_t> slow) {
    for (const auto& members : classes) {
        const double least = static_cast<double>(members.time) * tick;
        for (std::uint64_t left = members.count; left > 0;) {
            if (slow.empty() || slow.begin()->first * (1 + rounding) < least) return false;
            const std::uint64_t taken = std::min(left, slow.begin()->second);
            left -= taken;
            if ((slow.begin()->second -= taken) == 0) slow.erase(slow.begin());
        }
    }
    return slow.empty();
}

/// All times before `end` at which something can happen, in order: sums of `from` and more times of
/// nodes; in a reduction, of each node at most once. Cut short if there are more than `most`.
std::vector<Ticks> sums_of(const std::vector<Proof::Class>& places, bool once, Ticks from,
                           Ticks end, std::size_t most) {
    std::vector<Ticks> sums{from};
    for (const auto& members : places) {
        const std::uint64_t copies =
            once ? members.count : std::numeric_limits<std::uint64_t>::max();
        std::vector<std::pair<Ticks, std::uint64_t>> made;  // and with how few nodes of the class
        std::size_t old = 0;
        for (std::size_t base = 0; made.size() <= most;) {
            while (base < made.size() && made[base].second == copies) ++base;
            const Ticks longer = base < made.size() ? made[base].first + members.time : end;
            const Ticks plain = old < sums.size() ? sums[old] : end;
            if (std::min(longer, plain) >= end) break;
            if (plain <= longer) ++old;
            if (longer <= plain) ++base;
            made.emplace_back(std::min(longer, plain),
                              plain <= longer ? 0 : made[base - 1].second + 1);
        }
        sums.clear();
        for (const auto& [sum, nodes] : made) sums.push_back(sum);
    }
    return sums;
}

/// The worths of the first slots: that of one at the first sum, and that of the slots that a sender
/// of class `first` opens there (broadcast only). Computed in one backward pass over the sums until
/// the deadline.
struct Worth {
    Wide slot = 0;
    Wide sender = 0;
};
Worth worth_of(const Certificate& certificate, const std::vector<Ticks>& sums, std::size_t first) {
    const Proof& proof = certificate.proof;
    const bool broadcast = certificate.kind == schedule::Kind::broadcast;
    const Wide ports = static_cast<Wide>(certificate.ports);
    const std::size_t late = sums.size();
    std::vector<Wide> slot(late + 1, 0);
    std::vector<std::vector<Wide>> senders(proof.classes.size());
    if (broadcast) senders.assign(proof.classes.size(), std::vector<Wide>(late + 1, 0));
    std::vector<std::size_t> after(proof.classes.size(), late);  // where the sum plus time stands
    for (std::size_t s = late; s-- > 0;)
        for (std::size_t c = 0; c < proof.classes.size(); ++c) {
            const auto& members = proof.classes[c];
            while (after[c] > s && sums[after[c] - 1] >= sums[s] + members.time) --after[c];
            const bool in_time = after[c] < late && sums[after[c]] == sums[s] + members.time;
            Wide opened = 0;
            if (broadcast && in_time)
                opened = ports * slot[after[c]] + senders[c][after[c]];
            else if (!broadcast && in_time)
                opened = (1 + ports) * slot[after[c]];
            else if (!broadcast)
                continue;  // no such node is left, or it would have to start too early
            opened = std::min(opened, enough);
            if (broadcast) senders[c][s] = opened;
            slot[s] = std::max(slot[s], Wide{proof.price_unit} - members.price + opened);
        }
    return {slot[0], broadcast ? senders[first][0] : 0};
}

}  // namespace

std::optional<std::string> find_flaw(const Certificate& certificate,
                                     const network::SenderNetwork& network, std::size_t most_sums) {
    const Proof& proof = certificate.proof;
    const bool broadcast = certificate.kind == schedule::Kind::broadcast;
    if (certificate.time_unit != network.time_unit)
        return fmt::format("it is about times in {}, and the network's are in {}",
                           certificate.time_unit, network.time_unit);
    if (certificate.ports > most_ports)
        return fmt::format("more than {} ports are not checked", most_ports);

    std::map<double, std::uint64_t> nodes;
    for (const auto& group : network.classes) nodes[group.transmission_time] += group.count;
    std::vector<Proof::Class> places = proof.classes;
    std::size_t root = places.size() - 1;
    const bool rooted = certificate.root || !broadcast;
    if (rooted) {
        const double last = nodes.rbegin()->first;
        const auto time = certificate.root ? time_of(network, *certificate.root) : last;
        if (!time) return fmt::format("the network has no node '{}'", *certificate.root);
        while (root > 0 &&
               static_cast<double>(places[root].time) * proof.tick > *time * (1 + rounding))
            --root;
        if (broadcast &&
            static_cast<double>(places[root].time) * proof.tick > *time * (1 + rounding))
            return "its root is faster than all classes";
        --places[root].count;
        if (--nodes[*time] == 0) nodes.erase(*time);
    }
    if (!relaxed_by(places, proof.tick, nodes))
        return "its classes don't say of each node at most its time";

    const bool late_start = broadcast && certificate.root.has_value();
    const Ticks start = late_start ? places[root].time : 0;
    const std::size_t most = most_sums / places.size();
    const auto sums = sums_of(places, !broadcast, start, proof.lower_bound, most);
    if (sums.size() > most)
        return fmt::format("more than {} sums of times until its deadline are not checked", most);
    if (!sums.empty() && sums.back() > proof.deadline)
        return fmt::format("a schedule might be over at {} ticks, before its lower bound of {}",
                           sums.back(), proof.lower_bound);
    const Wide unit = proof.price_unit;
    Wide total = 0;
    Wide bound = 0;
    for (const auto& members : places) {
        total += unit * static_cast<Wide>(members.count);
        bound = std::min(bound + members.price * static_cast<Wide>(members.count), enough);
    }
    if (total >= enough / 2) return "its numbers are too large to be checked";
    const Wide ports = static_cast<Wide>(certificate.ports);
    const Worth worth = worth_of(certificate, sums, root);
    if (!broadcast)
        bound += ports * worth.slot;
    else if (!late_start)
        bound += worth.slot;
    else  // the root's first deliveries, one from each port, and those that follow
        bound += ports * worth.slot + worth.sender;
    if (bound >= total)
        return fmt::format("at its prices, all {} nodes might be reached by its deadline",
                           network.size());
    return std::nullopt;
}

bool proves_optimal(const Certificate& certificate, double makespan) {
    return makespan <= certificate.lower_bound() * (1 + 64 * rounding);
}

}  // namespace espalier::sender
