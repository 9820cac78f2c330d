#include "runtime/logic/settings.hpp"

#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "core/text.hpp"
#include "plan/algorithm.hpp"
#include "plan/scenarios.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier::runtime {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    }
    return parts;
}

bool is_known(std::string_view name, schedule::Kind kind) {
    if (name == "auto" || name == "native") return true;
    return std::ranges::any_of(plan::algorithms(), [&](const plan::Algorithm& algorithm) {
        return algorithm.name == name && plan::serves(algorithm, kind);
    });
}

plan::Segmenting parse_segmenting(const std::string& text, const std::string& where) {
    using Mode = plan::Segmenting::Mode;
    if (text == "none") return {Mode::none, Bytes(0)};
    if (text == "auto") return {Mode::automatic, Bytes(0)};
    const Bytes size = parse_bytes(text, where);
    if (size.value == 0) throw InputError(where, "", "a segment of no bytes");
    return {Mode::fixed, size};
}

Seconds parse_budget(std::string_view text, const std::string& where) {
    const Seconds budget = parse_seconds(text, where);
    if (budget.value <= 0) throw InputError(where, "", "no time to measure in");
    return budget;
}

std::size_t parse_ports(const std::string& text, const std::string& where) {
    const auto ports = schedule::parse_ports(text);
    if (!ports || ports->duplex != schedule::Ports::Duplex::full)
        throw InputError(where, "", "'" + text + "' is not full-duplex, 2-port, 3-port, …");
    return ports->count;
}

class Reader {
public:
    /// `strict`: what makes no sense is thrown, as an InputError, in place of a complaint.
    explicit Reader(const Environment& environment, bool strict = false)
        : environment_(environment), strict_(strict) {}

    ReadSettings read() {
        Settings& settings = result_.settings;
        choose("ESPALIER", settings.on, {{"on", true}, {"off", false}});
        choose("ESPALIER_PLAN", settings.planning,
               {{"auto", Settings::Planning::automatic},
                {"always", Settings::Planning::always},
                {"never", Settings::Planning::never}});
        choose("ESPALIER_LOG", settings.log,
               {{"quiet", Settings::Log::quiet},
                {"info", Settings::Log::info},
                {"debug", Settings::Log::debug}});
        choose("ESPALIER_REPRODUCIBLE", settings.reproducible,
               {{"on", Settings::Reproducible::by_network},
                {"recorded", Settings::Reproducible::by_record},
                {"off", Settings::Reproducible::never}});
        choose("ESPALIER_MEASURE", settings.measure,
               {{"auto", Settings::Measure::automatic},
                {"off", Settings::Measure::off},
                {"force", Settings::Measure::force}});
        choose("ESPALIER_PROGRESS", settings.progress,
               {{"calls", Settings::Progress::calls}, {"thread", Settings::Progress::thread}});
        settings.network = file("ESPALIER_NETWORK");
        read_report();
        settings.metrics = file("ESPALIER_METRICS");
        settings.cache = value("ESPALIER_CACHE");
        read_quantity("ESPALIER_MEMORY", settings.memory, parse_bytes, format_bytes);
        if (read_quantity("ESPALIER_MEASURE_BUDGET", settings.measure_budget, parse_budget,
                          format_seconds))
            settings.measure_round_trips = 0;
        read_robust();
        read_algorithms();
        return std::move(result_);
    }

private:
    [[nodiscard]] std::string value(const std::string& name) const {
        return environment_(name).value_or("");
    }

    /// A program's own input and output, which commands call `-`, are not ours.
    [[nodiscard]] std::string file(const std::string& name) {
        std::string path = value(name);
        if (path != "-") return path;
        complain(name + ": '-' is no file", "ignored");
        return "";
    }

    /// What is `wrong`, and what is done `instead`.
    void complain(const std::string& wrong, const std::string& instead) {
        if (strict_) throw InputError(wrong);
        result_.complaints.push_back(wrong + "; " + instead);
    }

    template <typename Value>
    void choose(const std::string& name, Value& target,
                const std::vector<std::pair<std::string, Value>>& choices) {
        const std::string text = value(name);
        if (text.empty()) return;
        std::string names;
        std::string default_word;
        for (const auto& [word, meaning] : choices) {
            if (meaning == target) default_word = word;
            if (word == text) {
                target = meaning;
                return;
            }
            names += (names.empty() ? "" : ", ") + word;
        }
        complain(fmt::format("{}: '{}' is none of {}", name, text, names), "using " + default_word);
    }

    template <typename Quantity>
    bool read_quantity(const std::string& name, Quantity& target,
                       Quantity (*parse)(std::string_view, const std::string&),
                       std::string (*format)(Quantity)) {
        const std::string text = value(name);
        if (text.empty()) return false;
        try {
            target = parse(text, name);
            return true;
        } catch (const InputError& error) {
            complain(error.what(), "using " + format(target));
            return false;
        }
    }

    void read_report() {
        const std::string name = "ESPALIER_REPORT";
        const std::string text = value(name);
        result_.settings.summary = text == "summary";
        if (text == "summary" || text == "off") return;
        const std::string meant = did_you_mean(text, {"summary", "off"});
        if (!meant.empty() && text.find_first_of("./") == std::string::npos)
            complain(fmt::format("{}: '{}' names a file{}", name, text, meant), "writing it");
        result_.settings.report = file(name);
    }

    void read_robust() {
        const std::string name = "ESPALIER_ROBUST";
        const std::string text = value(name);
        if (text.empty()) return;
        try {
            result_.settings.robust = plan::parse_robust(text, name);
        } catch (const InputError& error) {
            complain(error.what(), "using makespans at the costs as measured");
        }
    }

    void read_algorithms() {
        const std::string name = "ESPALIER_ALGORITHM";
        const std::string text = value(name);
        if (text.empty()) return;
        for (const std::string& entry : split(text, ',')) {
            try {
                read_algorithm(entry, name);
            } catch (const InputError& error) {
                complain(error.what(), "ignored");
            }
        }
    }

    void read_algorithm(const std::string& entry, const std::string& name) {
        const std::size_t colon = entry.find(':');
        if (colon == std::string::npos)
            throw InputError(name, entry, "expected COLLECTIVE:ALGORITHM");
        const std::string collective = entry.substr(0, colon);
        const auto kind = schedule::find_kind(collective);
        if (!kind) throw InputError(name, collective, "no such collective");
        std::string algorithm = entry.substr(colon + 1);
        AlgorithmChoice choice;
        const std::size_t at = algorithm.find('@');
        if (at != std::string::npos) {
            const std::string how = algorithm.substr(at + 1);
            const std::string where = name + ": " + entry;
            const bool planned = algorithm.compare(0, at, "native") != 0;
            const bool is_cut = planned && *kind != schedule::Kind::alltoall &&
                                *kind != schedule::Kind::allgather &&
                                *kind != schedule::Kind::barrier;
            if (planned && (*kind == schedule::Kind::alltoall || schedule::parse_ports(how)))
                choice.ports = parse_ports(how, where);
            else if (is_cut)
                choice.segmenting = parse_segmenting(how, where);
            else
                throw InputError(name, entry, "nothing is cut into segments there");
            algorithm.resize(at);
        }
        if (!is_known(algorithm, *kind))
            throw InputError(name, collective, "no algorithm '" + algorithm + "'");
        choice.name = algorithm;
        result_.settings.algorithms[*kind] = choice;
    }

    const Environment& environment_;
    const bool strict_;
    ReadSettings result_;
};

}  // namespace

AlgorithmChoice Settings::algorithm_for(schedule::Kind kind) const {
    const auto found = algorithms.find(kind);
    return found == algorithms.end() ? AlgorithmChoice{} : found->second;
}

ReadSettings read_settings(const Environment& environment) { return Reader(environment).read(); }

Settings steered(const Settings& settings, const std::map<std::string, std::string>& words) {
    const std::map<std::string, std::string> variables{{"plan", "ESPALIER_PLAN"},
                                                       {"algorithm", "ESPALIER_ALGORITHM"},
                                                       {"robust", "ESPALIER_ROBUST"}};
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : words) {
        const auto variable = variables.find(name);
        if (variable == variables.end())
            throw InputError(name, "", "a communicator has no such setting");
        if (value.empty()) throw InputError(name, "", "it is empty");
        values[variable->second] = value;
    }
    const Environment environment = [&](const std::string& name) {
        const auto value = values.find(name);
        return value == values.end() ? std::nullopt : std::optional(value->second);
    };
    Settings read = Reader(environment, true).read().settings;
    Settings result = settings;
    if (words.contains("plan")) result.planning = read.planning;
    if (words.contains("algorithm")) result.algorithms = std::move(read.algorithms);
    if (words.contains("robust")) result.robust = read.robust;
    return result;
}

std::optional<std::string> test_host(const Environment& environment, std::size_t rank) {
    const auto list = environment("ESPALIER_TEST_HOSTS");
    if (!list || list->empty()) return std::nullopt;
    const auto hosts = split(*list, ',');
    if (rank >= hosts.size() || hosts[rank].empty()) return std::nullopt;
    return hosts[rank];
}

}  // namespace espalier::runtime
