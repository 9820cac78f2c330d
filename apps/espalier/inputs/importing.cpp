#include "inputs/importing.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "importers/graphml.hpp"
#include "inputs/simgrid_import.hpp"
#include "outputs/result.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

namespace espalier::cli {

namespace {

importers::Imported import_graphml(const importers::XmlFile& file, const ImportOptions& options) {
    importers::GraphmlOptions wanted;
    if (!options.speed.empty()) wanted.speed = parse_rate(options.speed, "--speed");
    if (!(wanted.speed.value > 0)) throw InputError("--speed", "", "it must be positive");
    if (!options.latency.empty()) wanted.latency = parse_seconds(options.latency, "--latency");
    if (!options.cycle_time.empty()) wanted.cycle_time = parse_cycle_time(options.cycle_time);
    return read_graphml(file, wanted);
}

network::Network import_platform(const std::string& path, const ImportOptions& options) {
    const auto refuse = [&](const std::string& value, const std::string& option) {
        if (!value.empty()) throw InputError(option, "", path + " is no GraphML");
    };
    refuse(options.speed, "--speed");
    refuse(options.latency, "--latency");
    refuse(options.cycle_time, "--cycle-time");
    if (path == "-") throw InputError(path, "", "SimGrid reads platforms from files only");
    return read_simgrid_platform(path, options.hosts);
}

}  // namespace

void add_import_options(CLI::App& app, ImportOptions& options) {
    const std::string group = "What a file does not say";
    app.add_option("--speed", options.speed, "GraphML: of links that state none (10Gbps)")
        ->type_name("RATE")
        ->group(group);
    app.add_option("--latency", options.latency,
                   "GraphML: of links with an end that has no coordinates (1ms)")
        ->type_name("TIME")
        ->group(group);
    app.add_option("--cycle-time", options.cycle_time,
                   "GraphML: of the hosts, for a unit of work (1), or none for routers alone; to "
                   "links: of the nodes whose cycle time is not known")
        ->type_name("NUMBER|none")
        ->group(group);
    app.add_option("--hosts", options.hosts,
                   "SimGrid: keep hosts with such names alone, * and ? standing for anything")
        ->type_name("PATTERN,...")
        ->group(group);
}

bool is_xml(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '<';
}

network::Network import_xml(const std::string& path, const std::string& text,
                            const ImportOptions& options) {
    const importers::XmlFile file(path, text);
    if (file.root().name() == std::string_view("platform")) return import_platform(path, options);
    if (!is_graphml(file))
        file.fail(file.root(),
                  fmt::format("<{}> is no network that can be read: <graphml> and <platform> are",
                              file.root().name()));
    if (!options.hosts.empty()) throw InputError("--hosts", "", path + " is no SimGrid platform");
    importers::Imported imported = import_graphml(file, options);
    for (const std::string& line : imported.warnings) warn(fmt::format("{}: {}", path, line));
    Json measured{{"by", "espalier convert"},
                  {"source", std::filesystem::path(path).filename().string()}};
    if (!imported.warnings.empty()) measured["warnings"] = imported.warnings;
    return network::Network(std::move(imported.network), std::move(measured), path);
}

std::optional<double> parse_cycle_time(const std::string& text) {
    if (text == "none") return std::nullopt;
    const double time = parse_number(text, "--cycle-time");
    if (!(time > 0)) throw InputError("--cycle-time", "", fmt::format("{} is not positive", text));
    return time;
}

}  // namespace espalier::cli
