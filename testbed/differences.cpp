#include "testbed/differences.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "testbed/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace espalier::testbed {

namespace {

/// More rows than these say no more.
constexpr std::size_t most_rows = 100;

using Values = std::vector<std::string>;

std::string percent(double loss) { return fmt::format("{:.3g}%", loss * 100); }

/// What is described, and what is now, of quantities that differ.
struct Row {
    Values described;
    Values now;
    friend bool operator==(const Row&, const Row&) = default;

    template <typename Value, typename Format>
    void compare(const char* quantity, Value old_value, Value value, Format format) {
        if (old_value == value) return;
        described.push_back(fmt::format("{} {}", quantity, format(old_value)));
        now.push_back(fmt::format("{} {}", quantity, format(value)));
    }
};

/// The paths from a cluster to another.
struct Paths {
    std::size_t count = 0;
    std::vector<std::pair<std::string, Row>> differing;  ///< by their ends

    [[nodiscard]] bool alike() const {
        return differing.size() == count && std::ranges::all_of(differing, [&](const auto& path) {
                   return path.second == differing.front().second;
               });
    }
};

class Differences {
public:
    Differences(const Topology& described, const Topology& topology)
        : described_(described), topology_(topology) {}

    std::string text() {
        for (std::size_t q = 0; q < topology_.queues.size(); ++q) compare_queue(q);
        compare_paths();
        if (rows_ == 0) return "";
        std::string text = table_.text();
        if (rows_ > most_rows) text += fmt::format("  and {} more\n", rows_ - most_rows);
        return text;
    }

private:
    void add(const std::string& what, const Row& row) {
        if (row.now.empty() || ++rows_ > most_rows) return;
        table_.add({what, fmt::format("{}", fmt::join(row.now, ", ")),
                    fmt::format("{}", fmt::join(row.described, ", "))});
    }

    void compare_queue(std::size_t number) {
        const Queue& old_queue = described_.queues[number];
        const Queue& queue = topology_.queues[number];
        Row row;
        row.compare("rate", old_queue.rate, queue.rate, format_bits);
        row.compare("cross", old_queue.cross, queue.cross, format_bits);
        row.compare("loss", old_queue.loss, queue.loss, percent);
        add(queue.name, row);
    }

    [[nodiscard]] Row compare_path(std::size_t from, std::size_t to) const {
        const Path& old_path = described_.paths(from, to);
        const Path& path = topology_.paths(from, to);
        Row row;
        row.compare("latency", old_path.latency, path.latency, format_seconds);
        row.compare("jitter", old_path.jitter, path.jitter, format_seconds);
        row.compare("loss", old_path.loss, path.loss, percent);
        return row;
    }

    void compare_paths() {
        std::map<std::string, Paths> by_clusters;
        const auto& hosts = topology_.hosts;
        for (std::size_t from = 0; from < hosts.size(); ++from)
            for (std::size_t to = 0; to < hosts.size(); ++to) {
                if (from == to) continue;
                Paths& paths = by_clusters[hosts[from].cluster + " " + hosts[to].cluster];
                ++paths.count;
                if (Row row = compare_path(from, to); !row.now.empty())
                    paths.differing.emplace_back(hosts[from].name + " " + hosts[to].name,
                                                 std::move(row));
            }
        for (const auto& [clusters, paths] : by_clusters) {
            if (paths.differing.empty()) continue;
            if (paths.alike())
                add(clusters, paths.differing.front().second);
            else
                for (const auto& [ends, row] : paths.differing) add(ends, row);
        }
    }

    const Topology& described_;
    const Topology& topology_;
    Table table_{{{"changed"}, {"now"}, {"described"}}};
    std::size_t rows_ = 0;
};

}  // namespace

std::string differences(const Topology& described, const Topology& topology) {
    return Differences(described, topology).text();
}

}  // namespace espalier::testbed
