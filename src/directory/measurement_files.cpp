#include "directory/measurement_files.hpp"

#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/text.hpp"
#include "directory/measurement_text.hpp"
#include "directory/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace espalier::directory {

namespace {

constexpr std::array<std::string_view, 8> csv_columns{"at",       "by",   "from",  "to",
                                                      "quantity", "size", "value", "meanwhile"};

std::string name_or_nothing(const JsonValue& object, const std::string& field) {
    const auto name = object.find(field);
    return name ? name->string() : std::string();
}

Measurement read_measurement(const JsonValue& object) {
    object.allow_only({"at", "by", "from", "to", "quantity", "size", "value", "meanwhile"});
    const auto where = [&](const JsonValue& value) { return value.file() + ": " + value.field(); };
    Measurement read;
    const JsonValue at = object.at("at");
    read.at = parse_date(at.string(), where(at));
    read.by = object.at("by").string();
    read.pair = {name_or_nothing(object, "from"), name_or_nothing(object, "to")};
    const JsonValue quantity = object.at("quantity");
    read.quantity = parse_quantity(quantity.string(), where(quantity));
    read.value = object.at("value").number();
    if (const auto size = object.find("size")) read.size = Bytes(size->count());
    if (const auto meanwhile = object.find("meanwhile"))
        for (const JsonValue& pair : meanwhile->array()) {
            const auto ends = pair.array(2);
            read.meanwhile.push_back({ends[0].string(), ends[1].string()});
        }
    require_sound(read, where(object));
    return read;
}

Json to_json(const Measurement& measurement) {
    Json object{{"at", format_time(measurement.at)}, {"by", measurement.by}};
    if (!measurement.pair.from.empty()) object["from"] = measurement.pair.from;
    if (!measurement.pair.to.empty()) object["to"] = measurement.pair.to;
    object["quantity"] = name_of(measurement.quantity);
    if (measurement.size) object["size"] = measurement.size->value;
    object["value"] = measurement.value;
    for (const Pair& pair : measurement.meanwhile)
        object["meanwhile"].push_back(Json::array({pair.from, pair.to}));
    return object;
}

/// One CSV of measurements while it is read.
class CsvReader {
public:
    CsvReader(std::string_view text, const std::string& source, const MeasurementDefaults& defaults)
        : source_(source),
          defaults_(defaults),
          lines_(csv_lines(text)),
          separator_(csv_separator(lines_.front())) {
        const auto names = csv_cells(lines_.front(), separator_);
        width_ = names.size();
        for (std::size_t c = 0; c < width_; ++c) {
            const auto& name = names[c];
            if (std::find(csv_columns.begin(), csv_columns.end(), name) == csv_columns.end())
                fail(0, fmt::format("no column is called '{}'; there are {}", name,
                                    fmt::join(csv_columns, ", ")));
            if (!column_.emplace(name, c).second)
                fail(0, fmt::format("the column '{}' stands there twice", name));
        }
        for (const char* needed : {"from", "to", "quantity", "value"})
            if (!column_.contains(needed))
                fail(0, fmt::format("the column '{}' is missing", needed));
    }

    MeasurementFile read() {
        MeasurementFile file;
        for (std::size_t line = 1; line < lines_.size(); ++line)
            if (!lines_[line].empty()) file.measurements.push_back(read_line(line));
        return file;
    }

private:
    [[nodiscard]] std::string place(std::size_t line, const std::string& column = "") const {
        const std::string text = fmt::format("{}: line {}", source_, line + 1);
        return column.empty() ? text : text + ": " + column;
    }
    [[noreturn]] void fail(std::size_t line, const std::string& problem) const {
        throw InputError(place(line), "", problem);
    }

    Measurement read_line(std::size_t line) {
        cells_ = csv_cells(lines_[line], separator_);
        if (cells_.size() != width_)
            fail(line, fmt::format("{} cells where {} were expected", cells_.size(), width_));
        Measurement read;
        const std::string at = cell("at");
        read.at = at.empty() ? defaults_.at : parse_date(at, place(line, "at"));
        read.by = cell("by").empty() ? defaults_.by : cell("by");
        read.pair = {cell("from"), cell("to")};
        read.quantity = parse_quantity(cell("quantity"), place(line, "quantity"));
        read.value = parse_value(read.quantity, cell("value"), place(line, "value"));
        if (const auto size = cell("size"); !size.empty())
            read.size = parse_bytes(size, place(line, "size"));
        if (const auto pairs = cell("meanwhile"); !pairs.empty())
            read.meanwhile = parse_pairs(pairs, place(line, "meanwhile"));
        require_sound(read, place(line));
        return read;
    }

    [[nodiscard]] std::string cell(const std::string& name) const {
        const auto column = column_.find(name);
        return column == column_.end() ? std::string() : cells_[column->second];
    }

    const std::string& source_;
    const MeasurementDefaults& defaults_;
    std::vector<std::string_view> lines_;
    char separator_;
    std::unordered_map<std::string, std::size_t> column_;
    std::size_t width_ = 0;
    std::vector<std::string> cells_;
};

}  // namespace

double parse_value(Quantity quantity, std::string_view text, const std::string& where) {
    if (quantity != Quantity::bandwidth) return parse_seconds(text, where).value;
    if (!text.ends_with("/s")) {
        const double rate = parse_number(text, where);
        if (rate <= 0) throw InputError(where, "", "a bandwidth must be positive");
        return rate;
    }
    try {
        const Bytes size = parse_bytes(text.substr(0, text.size() - 2), where);
        if (size.value > 0) return static_cast<double>(size.value);
    } catch (const InputError&) {
        throw InputError(where, "",
                         fmt::format("'{}' is not a bandwidth such as 1e6 or 1MB/s", text));
    }
    throw InputError(where, "", "a bandwidth must be positive");
}

MeasurementFile parse_measurements(const JsonValue& document) {
    require_format(document, "espalier-measurements");
    document.allow_only({"format", "version", "source", "nodes", "measurements"});
    MeasurementFile file;
    if (const auto nodes = document.find("nodes"))
        for (const JsonValue& node : nodes->array()) file.nodes.push_back(node.string());
    for (const JsonValue& measurement : document.at("measurements").array())
        file.measurements.push_back(read_measurement(measurement));
    return file;
}

std::string to_json_text(const std::string& source, const std::vector<std::string>& nodes,
                         std::span<const Measurement> measurements) {
    std::string text =
        begin_text({{"format", "espalier-measurements"}, {"version", 1}, {"source", source}});
    append_field(text, "nodes", nodes);
    append_list(text, "measurements", measurements.size(),
                [&](std::size_t m) { return to_json(measurements[m]); });
    return end_text(std::move(text));
}

bool is_measurement_csv(std::string_view text) {
    const auto lines = csv_lines(text.substr(0, text.find('\n')));
    if (lines.empty()) return false;
    const auto cells = csv_cells(lines.front(), csv_separator(lines.front()));
    const auto has = [&](std::string_view name) {
        return std::find(cells.begin(), cells.end(), name) != cells.end();
    };
    return has("from") && has("to");
}

MeasurementFile parse_measurement_csv(std::string_view text, const std::string& source,
                                      const MeasurementDefaults& defaults) {
    return CsvReader(text, source, defaults).read();
}

}  // namespace espalier::directory
