#include "frontend/importing.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/text.hpp"
#include "frontend/simgrid_import.hpp"
#include "importers/graphml.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

namespace espalier::frontend {

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

bool is_xml(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '<';
}

network::Network import_xml(const std::string& path, const std::string& text,
                            const ImportOptions& options, const Warn& warn) {
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

}  // namespace espalier::frontend
