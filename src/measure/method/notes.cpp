#include "measure/method/notes.hpp"

#include "core/sha256.hpp"
#include "core/wire.hpp"

#include <utility>

namespace espalier::measure {

namespace {

/// To be changed with what is written.
constexpr int layout = 4;

void pass_head(auto& wire, auto& found, auto& times) {
    wire(found.clusters, found.eager, found.message_time, found.noisy, found.taken, times);
}

void pass_pairs(WireWriter& to, const SparsePairs<double>& pairs) {
    to(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) to(pairs.from(i));
}

SparsePairs<double> take_pairs(WireReader& from) {
    SparsePairs<double> pairs(from.take<std::size_t>());
    for (std::size_t i = 0; i < pairs.size(); ++i)
        for (const auto& [j, value] : from.take<std::vector<SparsePairs<double>::Entry>>())
            pairs.at(i, j) = value;
    return pairs;
}

void pass_round(auto& wire, auto& round) {
    wire(round.planned.ends, round.planned.kind, round.planned.one_way, round.planned.in_pairs,
         round.rates);
}

}  // namespace

std::string pack_notes(const Findings& found, const std::vector<PlayedRound>& rounds,
                       std::size_t times) {
    WireWriter to;
    to(layout, names_of(found.hosts));
    pass_head(to, found, times);
    pass_pairs(to, found.latencies);
    pass_pairs(to, found.asymmetry);
    to(pack(found.surveys), rounds.size());
    for (const PlayedRound& round : rounds) pass_round(to, round);
    std::string bytes = std::move(to).bytes();
    bytes += sha256(bytes);
    return bytes;
}

std::optional<Notes> unpack_notes(const std::string& bytes, const std::vector<std::string>& hosts) {
    static const std::size_t digest = sha256("").size();
    if (bytes.size() < digest) return std::nullopt;
    const std::string content = bytes.substr(0, bytes.size() - digest);
    if (!bytes.ends_with(sha256(content))) return std::nullopt;
    WireReader from(content);
    if (from.take<int>() != layout) return std::nullopt;
    if (from.take<std::vector<std::string>>() != hosts) return std::nullopt;
    Notes notes;
    Findings& found = notes.found;
    pass_head(from, found, notes.times);
    found.latencies = take_pairs(from);
    found.asymmetry = take_pairs(from);
    found.surveys = unpack_records(from.take<std::string>());
    for (auto left = from.take<std::size_t>(); left > 0; --left)
        pass_round(from, notes.rounds.emplace_back());
    return notes;
}

}  // namespace espalier::measure
