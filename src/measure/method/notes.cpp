#include "measure/method/notes.hpp"

#include "core/sha256.hpp"
#include "core/wire.hpp"

namespace espalier::measure {

namespace {

/// To be changed with what is written.
constexpr int layout = 2;

void pass_round(auto& wire, auto& round) {
    wire(round.planned.ends, round.planned.kind, round.planned.one_way, round.planned.in_pairs,
         round.rates);
}

void pass_head(auto& wire, auto& notes) {
    wire(notes.hosts, notes.clusters, notes.eager, notes.message_time, notes.noisy, notes.taken,
         notes.times);
}

}  // namespace

std::string pack(const Notes& notes) {
    WireWriter to;
    to(layout);
    pass_head(to, notes);
    for (std::size_t i = 0; i < notes.hosts.size(); ++i) to(notes.latencies.from(i));
    to(pack(notes.surveys), notes.rounds.size());
    for (const PlayedRound& round : notes.rounds) pass_round(to, round);
    return sha256(to.bytes()) + to.bytes();
}

std::optional<Notes> unpack_notes(const std::string& bytes, const std::vector<std::string>& hosts) {
    static const std::size_t digest = sha256("").size();
    if (bytes.size() < digest) return std::nullopt;
    const std::string content = bytes.substr(digest);
    if (sha256(content) != bytes.substr(0, digest)) return std::nullopt;
    WireReader from(content);
    Notes notes;
    if (from.take<int>() != layout) return std::nullopt;
    pass_head(from, notes);
    if (notes.hosts != hosts) return std::nullopt;
    notes.latencies = LatencyMatrix(hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i)
        for (const auto& [j, latency] : from.take<std::vector<LatencyMatrix::Entry>>())
            notes.latencies.at(i, j) = latency;
    notes.surveys = unpack_records(from.take<std::string>());
    for (auto left = from.take<std::size_t>(); left > 0; --left)
        pass_round(from, notes.rounds.emplace_back());
    return notes;
}

}  // namespace espalier::measure
