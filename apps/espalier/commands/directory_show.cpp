#include "commands/directory_show.hpp"

#include "commands/directory_add.hpp"
#include "core/error.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "directory/measurement_files.hpp"
#include "directory/measurement_text.hpp"
#include "directory/sqlite_directory.hpp"
#include "directory/time.hpp"
#include "report/transfer_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

namespace espalier::cli {

namespace {

using directory::Measurement;
using directory::Pair;
using directory::Quantity;
using directory::SqliteDirectory;

constexpr std::size_t readable_names = 3;

std::string format_rate(double rate) {
    constexpr std::array<std::string_view, 5> units{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    std::size_t unit = 0;
    while (rate >= 999.5 && unit + 1 < units.size()) {
        rate /= 1000;
        ++unit;
    }
    return fmt::format("{:.3g} {}", rate, units.at(unit));
}

std::string format_value(const Measurement& measurement) {
    return measurement.quantity == Quantity::bandwidth ? format_rate(measurement.value)
                                                       : format_seconds(Seconds(measurement.value));
}

std::string age_of(directory::Time time, directory::Time present) {
    const std::chrono::duration<double> age = present - time;
    return directory::format_age(Seconds(age.count()));
}

std::string end_name(const std::string& name) { return name.empty() ? "(any)" : name; }

/// The newest measurements of one pair, as cells of a table.
struct PairRow {
    const Measurement* latency = nullptr;
    const Measurement* bandwidth = nullptr;
    const Measurement* gap = nullptr;  ///< at the largest size
    std::size_t gap_sizes = 0;
    directory::Time newest = directory::Time::min();
    std::set<std::string> by;

    void add(const Measurement& measurement) {
        newest = std::max(newest, measurement.at);
        by.insert(measurement.by);
        if (!measurement.meanwhile.empty()) return;
        const auto take = [&](const Measurement*& place) {
            if (place == nullptr || place->at <= measurement.at) place = &measurement;
        };
        if (measurement.quantity == Quantity::latency) take(latency);
        if (measurement.quantity == Quantity::bandwidth) take(bandwidth);
        if (measurement.quantity != Quantity::gap) return;
        ++gap_sizes;
        if (gap == nullptr || gap->size <= measurement.size) gap = &measurement;
    }

    [[nodiscard]] std::string gap_text() const {
        if (gap == nullptr) return "-";
        const std::string size = gap->size->value == 0 ? "any size" : format_bytes(*gap->size);
        const std::string others = gap_sizes > 1 ? fmt::format(" ({} sizes)", gap_sizes) : "";
        return fmt::format("{} at {}{}", format_value(*gap), size, others);
    }
};

std::string value_or_dash(const Measurement* measurement) {
    return measurement == nullptr ? "-" : format_value(*measurement);
}

std::string describe_pairs(const SqliteDirectory& source, const std::string& name,
                           const directory::Period& period) {
    using enum Table::Align;
    const auto counts = source.counts(period);
    const auto newest = source.newest(period);
    std::map<Pair, PairRow> rows;
    for (const Measurement& measurement : newest) rows[measurement.pair].add(measurement);
    std::size_t measurements = 0;
    for (const auto& count : counts) measurements += count.measurements;
    std::string text = fmt::format("{}: {} of {}\n", name, counted(measurements, "measurement"),
                                   counted(counts.size(), "pair"));
    if (counts.empty()) return text;
    Table table({{"from"},
                 {"to"},
                 {"latency", right},
                 {"bandwidth", right},
                 {"gap", right},
                 {"newest"},
                 {"age", right},
                 {"count", right},
                 {"by"}});
    const directory::Time present = directory::now();
    for (std::size_t i = 0; i < std::min(counts.size(), report::readable_rows); ++i) {
        const auto& [pair, count] = counts[i];
        const PairRow& row = rows[pair];
        table.add({end_name(pair.from), end_name(pair.to), value_or_dash(row.latency),
                   value_or_dash(row.bandwidth), row.gap_text(), directory::format_time(row.newest),
                   age_of(row.newest, present), fmt::format("{}", count),
                   listed({row.by.begin(), row.by.end()}, readable_names)});
    }
    text += "\n" + table.text(columns_of_tables(STDOUT_FILENO));
    if (counts.size() > report::readable_rows)
        text += fmt::format("  … and {} more; --json prints all measurements\n",
                            counts.size() - report::readable_rows);
    return text;
}

std::string describe_history(const std::vector<Measurement>& history, const Pair& pair) {
    using enum Table::Align;
    std::string text = fmt::format("{} from {} to {}\n\n", counted(history.size(), "measurement"),
                                   pair.from, pair.to);
    const std::size_t hidden = history.size() - std::min(history.size(), report::readable_rows);
    if (hidden > 0) text += fmt::format("  {} older; --json prints them all\n", hidden);
    Table table({{"at"}, {"quantity"}, {"size", right}, {"value", right}, {"by"}, {"while"}});
    for (std::size_t i = hidden; i < history.size(); ++i) {
        const Measurement& measurement = history[i];
        std::vector<std::string> others;
        for (const Pair& other : measurement.meanwhile) others.push_back(to_string(other));
        table.add({directory::format_time(measurement.at),
                   std::string(name_of(measurement.quantity)),
                   measurement.size ? format_bytes(*measurement.size) : "-",
                   format_value(measurement), measurement.by, listed(others, readable_names)});
    }
    return text + table.text(columns_of_tables(STDOUT_FILENO));
}

}  // namespace

void show_directory(const DirectoryShowOptions& options) {
    directory::Period period{directory::Time(), directory::Time::max()};
    if (!options.at.empty())
        period.end = directory::parse_time(options.at, "--at", directory::now());
    const SqliteDirectory source(options.directory, SqliteDirectory::Access::read,
                                 directory_wait(options.wait));
    const auto text_of = [&](const std::vector<Measurement>& measurements) {
        return directory::to_json_text(options.directory, source.nodes(), measurements);
    };
    if (options.pair.empty()) {
        deliver_text(
            options.result, [&] { return text_of(source.read(period)); },
            [&] { return describe_pairs(source, options.directory, period); });
        return;
    }
    const Pair pair = directory::parse_pair(options.pair, "--pair");
    const auto history = source.history(pair, period);
    if (history.empty())
        throw InputError("--pair", "",
                         fmt::format("{} has no measurement from '{}' to '{}'", options.directory,
                                     pair.from, pair.to));
    deliver_text(
        options.result, [&] { return text_of(history); },
        [&] { return describe_history(history, pair); });
}

}  // namespace espalier::cli
