#include "overview/known.hpp"

#include "core/json_reader.hpp"
#include "core/statistics.hpp"
#include "core/table.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace espalier::overview {

namespace {

using network::GridNetwork;
using network::Network;

/// How far samples of a link may differ before one had better measure again.
constexpr double restless = 0.25;
constexpr std::size_t readable_names = 4;

/// A field of `measured`, whose content nobody checked; null if there is none of this name.
const Json& field(const Json& object, const char* name) {
    static const Json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(name);
    return found == object.end() ? nothing : *found;
}

std::string text(const Json& object, const char* name) {
    const Json& value = field(object, name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<double> number(const Json& object, const char* name) {
    const Json& value = field(object, name);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string seconds(double time) { return format_seconds(Seconds(time)); }

class Origin {
public:
    Origin(Overview& overview, const Network& network)
        : overview_(overview), network_(network), measured_(network.measured()) {
        const std::string by = text(measured_, "by");
        measured_here_ = by == "espalier measure";
        if (!measured_here_) return;
        longer_ = "measure for longer";
        if (const auto budget = number(measured_, "budget_s"))
            longer_ += fmt::format(": --budget was {}", seconds(*budget));
    }

    void add() {
        if (const GridNetwork* grid = network_.grid()) add_transport(*grid);
        add_when();
        add_spread();
        add_unknown_pairs();
        if (const GridNetwork* grid = network_.grid()) add_unstated(*grid);
        add_presumed();
        add_warnings();
        if (text(measured_, "transport") == "assumed" && overview_.groups.size() > 1)
            unknown("what carries messages: that is assumed, not measured",
                    "whoever knows better states it (`transport`)");
    }

private:
    void fact(std::string sentence) { overview_.facts.push_back(std::move(sentence)); }
    void unknown(std::string what, std::string remedy) {
        overview_.unknown.push_back({std::move(what), std::move(remedy)});
    }

    void add_transport(const GridNetwork& grid) {
        const network::Transport& transport = grid.transport;
        std::string how = transport.shares == network::Transport::Shares::by_round_trip
                              ? "Messages share in inverse proportion to their round trips"
                              : "Messages share evenly";
        if (transport.burst.value > 0)
            how += fmt::format("; up to {} leave at once", format_bytes(transport.burst));
        if (transport.queue.value > 0)
            how += fmt::format("; queues hold {}", seconds(transport.queue.value));
        if (transport.restart)
            how += fmt::format(
                "; windows halve after {}, a round trip and a full queue without a message",
                seconds(transport.restart->value));
        fact(how);
        if (grid.message_time.value > 0)
            fact(fmt::format("Each message takes {} of processors that all nodes share",
                             seconds(grid.message_time.value)));
        fact(fmt::format("Predictions may be off by {:.0f}%", 100 * grid.uncertainty));
    }

    /// When, by whom, of how much and in how long the network was measured, as far as it is said.
    void add_when() {
        const std::string by = text(measured_, "by");
        const std::string at = text(measured_, "at");
        if (by.empty() && at.empty()) return;
        std::string when = measured_here_ ? "Measured" : "Made";
        if (!at.empty()) when += " " + at;
        if (!by.empty()) when += " by " + by;
        if (const std::string source = text(measured_, "source"); !source.empty())
            when += " from " + source;
        if (const std::string mpi = text(measured_, "mpi"); !mpi.empty())
            when += fmt::format(" ({})", mpi.substr(0, mpi.find_first_of(",\n")));
        const auto ranks = number(measured_, "ranks");
        const auto hosts = number(measured_, "hosts");
        if (ranks && hosts)
            when += fmt::format(", {} on {}", counted(static_cast<std::size_t>(*ranks), "rank"),
                                counted(static_cast<std::size_t>(*hosts), "host"));
        if (const auto taken = number(measured_, "seconds")) {
            when += fmt::format(", in {}", seconds(*taken));
            if (const auto budget = number(measured_, "budget_s"))
                // Later runs go on where the first had no time left.
                when += *taken > *budget ? fmt::format(", {} a run", seconds(*budget))
                                         : fmt::format(" of {}", seconds(*budget));
        }
        if (const auto count = number(measured_, "measurements"))
            when +=
                fmt::format(", of {}", counted(static_cast<std::size_t>(*count), "measurement"));
        const std::string oldest = text(measured_, "oldest");
        const std::string newest = text(measured_, "newest");
        if (!oldest.empty() && !newest.empty())
            when += fmt::format(" from {} to {}", oldest, newest);
        fact(when);
    }

    void add_spread() {
        const Json& rows = field(measured_, "spread");
        std::vector<double> spreads;
        double most = 0;
        std::pair<std::size_t, std::size_t> where;
        for (std::size_t i = 0; rows.is_array() && i < rows.size(); ++i)
            for (std::size_t j = 0; rows[i].is_array() && j < rows[i].size(); ++j) {
                if (!rows[i][j].is_number()) continue;
                spreads.push_back(rows[i][j].get<double>());
                if (spreads.back() > most && std::max(i, j) < overview_.groups.size()) {
                    most = spreads.back();
                    where = {i, j};
                }
            }
        if (spreads.empty() || most <= 0) return;
        const std::string& from = overview_.groups[where.first].name;
        const std::string link =
            where.first == where.second
                ? "inside " + from
                : fmt::format("{} to {}", from, overview_.groups[where.second].name);
        fact(fmt::format("Samples of one link differ by {:.2g}% (median), at most by {:.2g}% ({})",
                         100 * percentile(spreads, 50), 100 * most, link));
        const auto unsteady =
            std::ranges::count_if(spreads, [](double spread) { return spread > restless; });
        if (unsteady > 0)
            unknown(
                fmt::format("{} exactly: samples differ by over {:.0f}%",
                            counted(static_cast<std::size_t>(unsteady), "link"), 100 * restless),
                "measure again while hosts and network have nothing else to do");
    }

    void add_unknown_pairs() {
        std::size_t pairs = 0;
        std::size_t slow = 0;
        std::size_t silent = 0;
        std::vector<std::string> named;
        const std::size_t groups = overview_.latencies.rows();
        for (std::size_t i = 0; i < groups; ++i)
            for (std::size_t j = 0; j < groups; ++j) {
                if (i == j) continue;
                ++pairs;
                const bool no_latency = !overview_.latencies(i, j);
                const bool no_rate = !overview_.rates(i, j);
                silent += no_latency ? 1 : 0;
                slow += no_rate ? 1 : 0;
                if (no_latency || no_rate)
                    named.push_back(fmt::format("{} to {}", overview_.groups[i].name,
                                                overview_.groups[j].name));
            }
        if (named.empty()) return;
        const char* what = silent == 0 ? "rates" : slow == 0 ? "latencies" : "latencies or rates";
        unknown(fmt::format("{} of {} of the {} ordered pairs of {}: {}", what, named.size(), pairs,
                            plural(overview_), listed(named, readable_names)),
                measured_here_ ? longer_ : "");
    }

    /// Pairs of clusters of which no capacity is stated, either way.
    void add_unstated(const GridNetwork& grid) {
        if (grid.unstated != network::Unstated::shared || overview_.groups.size() < 2) return;
        const std::size_t groups = overview_.groups.size();
        Matrix<char> covered(groups, groups, 0);
        for (const Capacity& capacity : overview_.capacities)
            for (const std::size_t from : capacity.from)
                for (const std::size_t to : capacity.to) covered(from, to) = covered(to, from) = 1;
        std::vector<std::string> named;
        for (std::size_t i = 0; i < groups; ++i)
            for (std::size_t j = i + 1; j < groups; ++j)
                if (covered(i, j) == 0)
                    named.push_back(fmt::format("{} and {}", overview_.groups[i].name,
                                                overview_.groups[j].name));
        if (named.empty()) return;
        unknown(fmt::format("what messages share between {} of {} pairs of clusters ({}): they are "
                            "presumed to share what one gets alone, both ways together",
                            named.size(), groups * (groups - 1) / 2, listed(named, readable_names)),
                measured_here_ ? longer_
                               : "state it (`shared`), or that nothing else is shared "
                                 "(`\"unstated\": \"separate\"`)");
    }

    void add_presumed() {
        std::vector<std::string> presumed;
        const Json& found = field(measured_, "shared");
        if (!found.is_array()) return;
        for (const Json& one : found) {
            const std::string name = text(one, "name");
            const auto rounds = number(one, "rounds");
            const auto capacity = std::ranges::find(overview_.capacities, name, &Capacity::name);
            if (!rounds || *rounds > 0 || capacity == overview_.capacities.end()) continue;
            capacity->presumed = true;
            presumed.push_back(name);
        }
        if (!presumed.empty())
            unknown(fmt::format("the capacity of {}: presumed from what passed, never seen full",
                                listed(presumed, readable_names)),
                    longer_);
    }

    void add_warnings() {
        const Json& lines = field(measured_, "warnings");
        if (!lines.is_array()) return;
        for (const Json& line : lines) {
            if (!line.is_string()) continue;
            const auto warning = line.get<std::string>();
            const bool time = warning.find("left no time") != std::string::npos;
            const bool reason = warning.find("reason that was not found") != std::string::npos;
            std::string remedy;
            if (time) remedy = longer_;
            if (reason && measured_here_)
                remedy = "measure again while hosts and network have nothing else to do";
            unknown(warning, remedy);
        }
    }

    Overview& overview_;
    const Network& network_;
    const Json& measured_;
    bool measured_here_ = false;
    std::string longer_;  ///< the remedy for what a longer measuring finds out; empty: no such
};

}  // namespace

void add_origin(Overview& overview, const Network& network) { Origin(overview, network).add(); }

}  // namespace espalier::overview
