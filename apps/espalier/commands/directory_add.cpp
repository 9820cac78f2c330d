#include "commands/directory_add.hpp"

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "directory/measurement_files.hpp"
#include "directory/measurement_text.hpp"
#include "directory/sqlite_directory.hpp"
#include "directory/statements.hpp"
#include "directory/time.hpp"
#include "network/json.hpp"
#include "network/latency_csv.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace espalier::cli {

namespace {

using directory::Measurement;
using directory::Quantity;

std::string this_user() {
    for (const char* variable : {"USER", "LOGNAME"})
        if (const auto name = environment(variable); name && !name->empty()) return *name;
    const passwd* entry = ::getpwuid(::getuid());
    return entry == nullptr ? fmt::format("user {}", ::getuid()) : entry->pw_name;
}

/// The name of a file without its folder.
std::string name_of_file(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

/// A file's own time: of its newest value, where it came out of a directory.
directory::Time time_of_file(const network::Network& network, const std::string& file,
                             directory::Time present) {
    const Json& measured = network.measured();
    for (const char* field : {"newest", "at"}) {
        if (!measured.is_object() || !measured.contains(field)) continue;
        if (field == std::string("newest") && !measured.contains("rule")) continue;
        const Json& stated = measured[field];
        const std::string place = fmt::format("{}: measured.{}", file, field);
        if (!stated.is_string())
            throw InputError(place, "", "not a time; say with --at when it was measured");
        return directory::parse_date(stated.get<std::string>(), place);
    }
    return present;
}

/// Gathers what the command line says and its files hold.
class Collector {
public:
    explicit Collector(const DirectoryAddOptions& options)
        : options_(options), present_(directory::now()) {
        if (!options.at.empty()) at_ = directory::parse_time(options.at, "--at", present_);
    }

    void add_file(const std::string& file) {
        if (directory::is_sqlite_file(file)) return add_directory(file);
        const std::string text = read_file(file);
        const std::size_t first = text.find_first_not_of(" \t\r\n");
        const bool json =
            file.ends_with(".json") || (first != std::string::npos && text[first] == '{');
        if (json) return add_json(file, text);
        if (directory::is_measurement_csv(text)) {
            refuse_unit(file);
            take(directory::parse_measurement_csv(
                text, file, {at_.value_or(present_), by_of(name_of_file(file))}));
        } else {
            add_latencies(file, text);
        }
    }

    void add_stated() {
        const auto add = [&](Quantity quantity, const std::string& text,
                             const std::string& option) {
            if (text.empty()) return;
            Measurement measurement;
            measurement.at = at_.value_or(present_);
            measurement.by = options_.by.empty() ? this_user() : options_.by;
            measurement.pair = {options_.from, options_.to};
            measurement.quantity = quantity;
            measurement.value = directory::parse_value(quantity, text, option);
            if (!options_.bytes.empty()) measurement.size = parse_bytes(options_.bytes, "--bytes");
            if (!options_.meanwhile.empty())
                measurement.meanwhile = directory::parse_pairs(options_.meanwhile, "--while");
            require_sound(measurement, option);
            measurements_.push_back(std::move(measurement));
        };
        if (!options_.gap.empty() && options_.bytes.empty())
            throw InputError("--bytes", "", "needed: a gap is of messages of one size");
        add(Quantity::latency, options_.latency, "--latency");
        add(Quantity::bandwidth, options_.bandwidth, "--bandwidth");
        add(Quantity::gap, options_.gap, "--gap");
        if (measurements_.empty())
            throw InputError("--from", "", "needs --latency, --bandwidth or --gap beside it");
    }

    [[nodiscard]] const std::vector<std::string>& nodes() const { return nodes_; }
    [[nodiscard]] const std::vector<Measurement>& measurements() const { return measurements_; }
    /// How many of these measurements lie ahead of this machine's clock.
    [[nodiscard]] std::size_t ahead() const {
        return static_cast<std::size_t>(std::count_if(
            measurements_.begin(), measurements_.end(),
            [&](const Measurement& measurement) { return measurement.at > present_; }));
    }

private:
    [[nodiscard]] std::string by_of(const std::string& origin) const {
        return options_.by.empty() ? origin : options_.by;
    }

    void refuse_unit(const std::string& file) const {
        if (!options_.unit.empty())
            throw InputError(
                "--unit", "",
                fmt::format("{} is no table of latencies, it states its own units", file));
    }

    void take(directory::MeasurementFile file) {
        for (std::string& node : file.nodes)
            if (listed_.insert(node).second) nodes_.push_back(std::move(node));
        std::move(file.measurements.begin(), file.measurements.end(),
                  std::back_inserter(measurements_));
    }

    void take(const network::Network& network, directory::Time at, const std::string& by,
              const std::string& file) {
        directory::Statements said = directory::statements_of(network, at, by, file);
        for (const std::string& line : said.left_out) warn(fmt::format("{}: {}", file, line));
        take({std::move(said.nodes), std::move(said.measurements)});
    }

    void add_json(const std::string& file, const std::string& text) {
        refuse_unit(file);
        Json storage;
        const JsonValue document = JsonValue::parse(file, text, storage);
        if (document.is_object() && document.has("format") &&
            document.at("format").string() == "espalier-measurements")
            return take(directory::parse_measurements(document));
        const network::Network network = network::parse_network(text, file);
        std::string by = name_of_file(file);
        if (const Json& measured = network.measured();
            measured.is_object() && measured.contains("by") && measured["by"].is_string())
            by = measured["by"].get<std::string>();
        take(network, at_ ? *at_ : time_of_file(network, file, present_), by_of(by), file);
    }

    void add_latencies(const std::string& file, const std::string& text) {
        const auto unit = network::parse_time_unit(
            options_.unit.empty() ? std::string_view("us") : options_.unit, "--unit");
        const network::Network network(to_pairwise(network::parse_pair_table(text, file), unit),
                                       nullptr, file);
        take(network, at_.value_or(present_), by_of(name_of_file(file)), file);
    }

    void add_directory(const std::string& file) {
        refuse_unit(file);
        std::error_code unknown;
        if (std::filesystem::equivalent(file, options_.directory, unknown))
            throw InputError(file, "", "is the directory itself");
        const directory::SqliteDirectory other(file, directory::SqliteDirectory::Access::read,
                                               directory_wait(options_.wait));
        take({other.nodes(), other.read({directory::Time(), directory::Time::max()})});
    }

    const DirectoryAddOptions& options_;
    directory::Time present_;
    std::optional<directory::Time> at_;
    std::vector<std::string> nodes_;
    std::set<std::string> listed_;
    std::vector<Measurement> measurements_;
};

bool states_a_measurement(const DirectoryAddOptions& options) {
    const auto given = {&options.from, &options.to,    &options.latency,  &options.bandwidth,
                        &options.gap,  &options.bytes, &options.meanwhile};
    return std::any_of(given.begin(), given.end(), [](const auto* text) { return !text->empty(); });
}

}  // namespace

Seconds directory_wait(const std::string& text) {
    return text.empty() ? directory::SqliteDirectory::default_wait : parse_seconds(text, "--wait");
}

void add_to_directory(const DirectoryAddOptions& options) {
    const Seconds wait = directory_wait(options.wait);
    Collector collector(options);
    const bool stated = states_a_measurement(options);
    if (stated && !options.files.empty())
        throw InputError(options.files.front(), "",
                         "files are added by themselves, without --from and what belongs to it");
    if (!stated && options.files.empty())
        throw InputError("directory add", "",
                         "nothing to add; name files, or --from, --to and a value");
    if (stated) collector.add_stated();
    for (const std::string& file : options.files) collector.add_file(file);

    directory::SqliteDirectory target(options.directory, directory::SqliteDirectory::Access::write,
                                      wait);
    target.add(collector.measurements(), collector.nodes());
    const std::size_t count = collector.measurements().size();
    if (const std::size_t ahead = collector.ahead(); ahead > 0)
        warn(fmt::format("{}: {} will count only later, by this machine's clock", options.directory,
                         counted(ahead, "measurement")));
    deliver(
        options.result, {{"format", "espalier-directory"}, {"version", 1}, {"added", count}}, [&] {
            return fmt::format("{}: {} added\n", options.directory, counted(count, "measurement"));
        });
}

}  // namespace espalier::cli
