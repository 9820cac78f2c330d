#pragma once

#include "doctor/diagnosis.hpp"
#include "doctor/facts.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

/// The rules that diagnose() goes through, one after the other.
namespace espalier::doctor {

using Findings = std::vector<Finding>;
/// Hosts that something was found about which explains whatever is wrong on their ways.
using Explained = std::set<std::size_t>;

/// Addresses that several hosts bear, and hosts that get what is meant for others.
void find_duplicates(const Facts& facts, Findings& findings, Explained& explained);
/// Hosts that did not come to the first one.
void find_absent(const Facts& facts, Findings& findings, Explained& explained);
/// Hosts that compute more slowly than others.
void find_slow_hosts(const Facts& facts, Findings& findings, Explained& explained);
/// Settings of the kernel, and packet sizes, that differ from most hosts'.
void find_settings(const Facts& facts, Findings& findings);
/// Names that stand for something else than the host that bears them.
void find_names(const Facts& facts, Findings& findings);
/// Variables that choose an interface which is not there, or not the best.
void find_cards(const Facts& facts, Findings& findings);
/// Ways that are cut, lossy, uneven or slow, and which host, pair or site they have in common.
/// Returns the indices of these ways' pairs.
std::vector<std::size_t> find_traffic(const Facts& facts, const Explained& explained,
                                      Findings& findings);
/// What would be better on all hosts.
void find_advice(const Facts& facts, Findings& findings);

/// The value that most of at least three hosts have, if three of five have it.
template <typename Value>
[[nodiscard]] std::optional<Value> usual_value(const std::map<std::size_t, Value>& values) {
    std::map<Value, std::size_t> counts;
    for (const auto& [host, value] : values) ++counts[value];
    for (const auto& [value, count] : counts)
        if (values.size() > 2 && 5 * count >= 3 * values.size()) return value;
    return std::nullopt;
}

/// Whether so many of all are a kind of their own rather than exceptions.
[[nodiscard]] constexpr bool are_a_class(std::size_t count, std::size_t all) {
    constexpr std::size_t few = 2;
    constexpr std::size_t part = 6;
    return count > few && count * part > all;
}

/// Hosts' names with commas between them, of many some.
[[nodiscard]] std::vector<std::string> names_of(const Facts& facts,
                                                const std::vector<std::size_t>& hosts);
/// Which interface a host has on a network; empty: none.
[[nodiscard]] std::string card_on(const Facts& facts, std::size_t network, std::size_t host);
/// The median rate of the ways of a network, bytes a second; 0 where none is known.
[[nodiscard]] double usual_rate(const Facts& facts, std::size_t network);

}  // namespace espalier::doctor
