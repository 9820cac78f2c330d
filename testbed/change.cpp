#include "testbed/change.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "testbed/builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace espalier::testbed {

namespace {

constexpr const char* verb = "change";
constexpr const char* reset_word = "reset";

bool says_a_quantity(const std::string& word) {
    return word == reset_word || word.find('=') != std::string::npos;
}

Seconds parse_latency(const std::string& text, const std::string& where) {
    const Seconds time = parse_seconds(text, where);
    if (time > longest_latency) throw InputError(where, "", "more than a minute");
    return time;
}

/// Only with its sign: 0.1 alone could be a tenth as well.
double parse_loss(const std::string& text, const std::string& where) {
    const double percent =
        text.ends_with('%') ? parse_number(text.substr(0, text.size() - 1), where) : -1;
    if (!(percent >= 0 && percent <= 100))
        throw InputError(where, "", fmt::format("'{}' is not a probability such as 0.1%", text));
    return percent / 100;
}

}  // namespace

void apply(const Change& change, const Topology& described, Topology& topology) {
    for (const std::uint32_t number : change.queues) {
        Queue& queue = topology.queues[number];
        if (change.reset) queue = described.queues[number];
        queue.rate = change.rate.value_or(queue.rate);
        queue.cross = change.cross.value_or(queue.cross);
        queue.loss = change.loss.value_or(queue.loss);
    }
    for (const HostPair& pair : change.paths) {
        Path& path = topology.paths(pair.from, pair.to);
        if (change.reset) path = described.paths(pair.from, pair.to);
        path.latency = change.latency.value_or(path.latency);
        path.jitter = change.jitter.value_or(path.jitter);
        path.loss = change.loss.value_or(path.loss);
    }
}

Change reset_of(const Topology& topology) {
    Change change{.reset = true};
    for (std::uint32_t queue = 0; queue < topology.queues.size(); ++queue)
        change.queues.push_back(queue);
    for (std::size_t from = 0; from < topology.hosts.size(); ++from)
        for (std::size_t to = 0; to < topology.hosts.size(); ++to)
            if (from != to) change.paths.push_back({from, to});
    return change;
}

Targets::Targets(const Topology& topology) {
    for (std::uint32_t queue = 0; queue < topology.queues.size(); ++queue)
        queues_[topology.queues[queue].name].push_back(queue);
    Numbers by_cluster;
    Numbers by_site;
    for (std::uint32_t number = 0; number < topology.hosts.size(); ++number) {
        const Host& host = topology.hosts[number];
        hosts_[host.name] = {number};
        by_cluster[host.cluster].push_back(number);
        by_site[host.site].push_back(number);
    }
    by_site.erase("");
    // The first that bears a name keeps it.
    hosts_.insert(by_cluster.begin(), by_cluster.end());
    for (const auto& [name, hosts] : hosts_)
        for (const std::uint32_t host : hosts)
            for (const char* direction : {" send", " receive"})
                if (const auto card = queues_.find(topology.hosts[host].name + direction);
                    card != queues_.end())
                    std::ranges::copy(card->second, std::back_inserter(cards_[name]));
    hosts_.insert(by_site.begin(), by_site.end());
}

const std::vector<std::uint32_t>& Targets::hosts(const std::string& name, const std::string& source,
                                                 const std::string& field) const {
    const auto found = hosts_.find(name);
    if (found == hosts_.end())
        throw InputError(source, field,
                         fmt::format("no host, cluster or site is named '{}'", name));
    return found->second;
}

Change Targets::find(std::span<const std::string> what, const std::string& source,
                     const std::string& field) const {
    const std::string name = fmt::format("{}", fmt::join(what, " "));
    if (const auto queue = queues_.find(name); queue != queues_.end())
        return {.queues = queue->second};
    if (what.size() == 2) {
        Change change;
        for (const std::size_t from : hosts(what[0], source, field))
            for (const std::size_t to : hosts(what[1], source, field))
                if (from != to) change.paths.push_back({from, to});
        if (change.paths.empty())
            throw InputError(source, field, fmt::format("'{}' is one host", what[0]));
        return change;
    }
    const auto cards = cards_.find(name);
    if (cards != cards_.end()) return {.queues = cards->second};
    throw InputError(
        source, field,
        hosts_.contains(name)
            ? fmt::format("'{}' has no queue of its own, and a path has two ends", name)
            : fmt::format("no queue, host or cluster is named '{}'", name));
}

void set_quantity(Change& change, const std::string& quantity, const std::string& text,
                  const std::string& source, const std::string& field) {
    const std::string where = field.empty() ? source : source + ": " + field;
    const auto is_for = [&](bool fits, const char* others) {
        if (!fits) throw InputError(where, "", fmt::format("{} has no {}", others, quantity));
    };
    if (quantity == "rate") {
        is_for(change.paths.empty(), "a path");
        change.rate = parse_rate(text, where);
        require_rate(*change.rate, source, field);
    } else if (quantity == "cross") {
        is_for(change.paths.empty(), "a path");
        change.cross = parse_rate(text, where);
    } else if (quantity == "latency") {
        is_for(change.queues.empty(), "a queue");
        change.latency = parse_latency(text, where);
    } else if (quantity == "jitter") {
        is_for(change.queues.empty(), "a queue");
        change.jitter = parse_latency(text, where);
    } else if (quantity == "loss") {
        change.loss = parse_loss(text, where);
    } else {
        throw InputError(where, "",
                         fmt::format("'{}' is not rate, cross, latency, jitter or loss", quantity));
    }
}

std::vector<Change> parse_changes(std::span<const std::string> words, const Topology& topology) {
    const Targets targets(topology);
    std::vector<Change> changes;
    for (auto word = words.begin(); word != words.end();) {
        const auto first = std::find_if(word, words.end(), says_a_quantity);
        const auto last = std::find_if_not(first, words.end(), says_a_quantity);
        const std::string name = fmt::format("{}", fmt::join(word, first, " "));
        if (first == word)
            throw InputError(verb, "",
                             fmt::format("what '{}' is for was expected before it", *word));
        if (first == last)
            throw InputError(verb, "",
                             fmt::format("QUANTITY=VALUE or reset was expected after '{}'", name));
        Change change = targets.find({word, first}, verb, "");
        for (word = first; word != last; ++word) {
            const std::size_t equals = word->find('=');
            if (*word == reset_word)
                change.reset = true;
            else
                set_quantity(change, word->substr(0, equals), word->substr(equals + 1), verb,
                             *word);
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace espalier::testbed
