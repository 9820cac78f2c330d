#include "testbed/check.hpp"

#include "core/json_reader.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "testbed/describe.hpp"
#include "testbed/probe.hpp"
#include "testbed/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::testbed {

namespace {

constexpr std::size_t most_pairs = 24;
constexpr std::size_t most_contentions = 8;
constexpr std::size_t flows_at_once = 3;
constexpr std::size_t pings = 21;
constexpr Bytes ping_payload{64};
/// Data are counted for at least as long as so many frames of each flow take, but not longer than
/// that for their sake.
constexpr double frames = 300;
constexpr Seconds long_enough{15};

class Checker {
public:
    Checker(const Topology& topology, const State& state, const std::string& program,
            Seconds window, const Tolerance& tolerance)
        : topology_(topology),
          window_(window),
          tolerance_(tolerance),
          pairs_(pairs_of_clusters(topology, most_pairs)),
          contentions_(contentions(topology, flows_at_once, most_contentions)) {
        std::vector<std::size_t> senders(topology.hosts.size(), 0);
        std::vector<char> used(topology.hosts.size(), 0);
        const auto use = [&](HostPair pair) {
            ++senders[pair.from];
            used[pair.from] = used[pair.to] = 1;
        };
        for (const HostPair& pair : pairs_) use(pair);
        for (const Contention& contention : contentions_)
            for (const HostPair& pair : contention.flows) use(pair);
        const auto hosts = state.hosts();
        for (std::size_t host = 0; host < hosts.size(); ++host)
            sockets_.push_back(used[host] != 0
                                   ? take_sockets(state, hosts[host], program, senders[host])
                                   : ProbeSockets{});
    }

    Findings check() {
        Findings findings;
        for (const HostPair& pair : pairs_) findings.round_trips.push_back(check_trip(pair));
        for (const HostPair& pair : pairs_) findings.goodputs.push_back(check_goodput("", {pair}));
        for (const Contention& contention : contentions_)
            findings.goodputs.push_back(
                check_goodput(topology_.queues[contention.queue].name, contention.flows));
        return findings;
    }

private:
    [[nodiscard]] const std::string& name(std::size_t host) const {
        return topology_.hosts[host].name;
    }

    Findings::RoundTrip check_trip(HostPair pair) {
        const Seconds asked = asked_round_trip(topology_, pair, ping_payload);
        const auto got =
            round_trip(sockets_[pair.from], sockets_[pair.to], ping_payload, pings, asked);
        const double allowed = (asked * tolerance_.round_trip + tolerance_.own_delay).value;
        return {name(pair.from), name(pair.to), asked, got,
                got && std::abs((*got - asked).value) <= allowed};
    }

    Findings::Goodput check_goodput(const std::string& queue, const std::vector<HostPair>& flows) {
        const auto rates = fair_rates(topology_, flows);
        const BytesPerSecond asked =
            goodput(std::accumulate(rates.begin(), rates.end(), BytesPerSecond(0)));
        Seconds slowest(0);
        for (const HostPair& pair : flows)
            slowest = std::max(slowest, asked_round_trip(topology_, pair, ping_payload));
        // Until a connection has found its rate: round trips in which its window doubles, and
        // what it then does to the queue.
        const Seconds warm = window_ / 3 + slowest * 30;
        const double frames_take =
            static_cast<double>(flows.size() * full_payload) * frames / asked.value;
        const Seconds counted =
            std::max(window_, Seconds(std::min(frames_take, long_enough.value)));
        const auto parts = goodputs(sockets_, flows, warm, counted);
        const BytesPerSecond got = std::accumulate(parts.begin(), parts.end(), BytesPerSecond(0));
        Findings::Goodput found{queue, {}, asked, got, false};
        for (const HostPair& pair : flows) found.flows.emplace_back(name(pair.from), name(pair.to));
        found.good = std::abs(got / asked - 1) <= tolerance_.goodput;
        return found;
    }

    const Topology& topology_;
    Seconds window_;
    Tolerance tolerance_;
    std::vector<HostPair> pairs_;
    std::vector<Contention> contentions_;
    std::vector<ProbeSockets> sockets_;
};

std::string verdict(bool good) { return good ? "" : "OFF"; }

}  // namespace

bool Findings::good() const {
    const auto is_good = [](const auto& finding) { return finding.good; };
    return std::all_of(round_trips.begin(), round_trips.end(), is_good) &&
           std::all_of(goodputs.begin(), goodputs.end(), is_good);
}

Findings check(const Topology& topology, const State& state, const std::string& program,
               Seconds window, const Tolerance& tolerance) {
    return Checker(topology, state, program, window, tolerance).check();
}

std::string to_text(const Findings& findings) {
    constexpr auto right = Table::Align::right;
    Table trips({{"round trip"},
                 {"", Table::Align::left},
                 {"asked", right},
                 {"got", right},
                 {"got/asked", right},
                 {""}});
    for (const auto& trip : findings.round_trips)
        trips.add({trip.from, trip.to, format_seconds(trip.asked),
                   trip.got ? format_seconds(*trip.got) : "no answer",
                   trip.got ? fmt::format("{:.3f}", *trip.got / trip.asked) : "",
                   verdict(trip.good)});
    Table alone({{"one flow"}, {""}, {"asked", right}, {"got", right}, {"got/asked", right}, {""}});
    Table shared(
        {{"flows that share"}, {""}, {"asked", right}, {"got", right}, {"got/asked", right}, {""}});
    for (const auto& goodput : findings.goodputs) {
        const std::string ratio = fmt::format("{:.3f}", goodput.got / goodput.asked);
        const auto& [from, to] = goodput.flows.front();
        if (goodput.queue.empty())
            alone.add({from, to, format_bits(goodput.asked), format_bits(goodput.got), ratio,
                       verdict(goodput.good)});
        else
            shared.add({goodput.queue, counted(goodput.flows.size(), "flow"),
                        format_bits(goodput.asked), format_bits(goodput.got), ratio,
                        verdict(goodput.good)});
    }
    std::string text = trips.text() + "\n" + alone.text();
    if (shared.size() > 0) text += "\n" + shared.text();
    return text;
}

Json to_json(const Findings& findings) {
    Json document{{"format", "espalier-testbed-check"}, {"version", 1}};
    document["good"] = findings.good();
    document["round_trips"] = Json::array();
    for (const auto& trip : findings.round_trips)
        document["round_trips"].push_back({{"from", trip.from},
                                           {"to", trip.to},
                                           {"asked_s", trip.asked.value},
                                           {"got_s", trip.got ? Json(trip.got->value) : Json()},
                                           {"good", trip.good}});
    document["goodputs"] = Json::array();
    for (const auto& goodput : findings.goodputs) {
        Json flows = Json::array();
        for (const auto& [from, to] : goodput.flows) flows.push_back({{"from", from}, {"to", to}});
        Json object{{"flows", std::move(flows)}};
        if (!goodput.queue.empty()) object["shared"] = goodput.queue;
        object["asked_Bps"] = goodput.asked.value;
        object["got_Bps"] = goodput.got.value;
        object["good"] = goodput.good;
        document["goodputs"].push_back(std::move(object));
    }
    return document;
}

}  // namespace espalier::testbed
