#include "frontend/sender_problem.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/table.hpp"
#include "network/json.hpp"
#include "report/transfer_table.hpp"
#include "sender/certificate.hpp"
#include "sender/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace espalier::frontend {

namespace {

using network::SenderNetwork;

/// The one algorithm that has techniques to do without.
constexpr std::string_view paper_search = "paper-search";

/// The names of those classes of the network that share a time, as one text.
std::vector<std::string> class_names(const SenderNetwork& network, const sender::Problem& problem) {
    constexpr std::size_t names_shown = 3;
    std::vector<std::vector<std::string>> names(problem.classes.size());
    for (const auto& members : network.classes) {
        const auto at = std::ranges::lower_bound(problem.classes, members.transmission_time, {},
                                                 &sender::Problem::Class::time);
        names[static_cast<std::size_t>(at - problem.classes.begin())].push_back(members.name);
    }
    std::vector<std::string> joined;
    for (const auto& all : names) joined.push_back(listed(all, names_shown));
    return joined;
}

class SenderAnswer final : public Answer {
public:
    SenderAnswer(sender::Plan plan, std::optional<std::size_t> asked_root,
                 const network::Network& network)
        : compact_(std::move(plan)),
          asked_root_(asked_root),
          network_(network),
          senders_(*network.sender()) {}

    [[nodiscard]] report::Headline headline() const override {
        report::Headline headline;
        headline.kind = compact_.problem.kind;
        headline.root = senders_.name_of(compact_.root);
        headline.algorithm = compact_.algorithm;
        headline.nodes = senders_.size();
        headline.ports = {schedule::Ports::Duplex::half, compact_.problem.ports};
        headline.makespan = Seconds(compact_.result.makespan);
        headline.lower_bound = Seconds(compact_.result.lower_bound);
        headline.any_bound = headline.lower_bound;  // there is no half of a unit message
        headline.optimal = compact_.result.optimal;
        headline.time_unit = senders_.time_unit;
        return headline;
    }
    [[nodiscard]] std::size_t segments() const override { return 1; }
    [[nodiscard]] std::string tables() const override {
        if (senders_.size() == 1) return {};
        return "\n" + (senders_.size() <= report::readable_rows + 1
                           ? report::transfer_table(plan(), senders_.time_unit)
                           : wave_table());
    }
    [[nodiscard]] const schedule::Plan& plan() const override {
        if (!expanded_) {
            expanded_ = compact_.expand(network_);
            expanded_->schedule.network = network::fingerprint(network_);
        }
        return *expanded_;
    }
    [[nodiscard]] report::TimelineOptions look() const override {
        report::TimelineOptions look;
        look.time_unit = senders_.time_unit;
        return look;
    }
    [[nodiscard]] std::string remarks() const override {
        const auto& effort = compact_.result.effort;
        if (effort.nodes == 0 && effort.leaves == 0) return {};
        return fmt::format("{} and {} examined\n", counted(effort.nodes, "partial sequence"),
                           counted(effort.leaves, "whole one"));
    }

    [[nodiscard]] std::string certificate() const override {
        if (!compact_.result.proof) return Answer::certificate();
        std::optional<std::string> root;
        if (asked_root_) root = senders_.name_of(*asked_root_);
        return to_text(
            to_json(make_certificate(*compact_.result.proof, compact_.problem, std::move(root),
                                     senders_, network::fingerprint(network_))));
    }

private:
    /// A table of how many nodes of each class receive, or start to send, at each time.
    [[nodiscard]] std::string wave_table() const {
        const auto& problem = compact_.problem;
        std::vector<double> times;
        for (const auto& members : problem.classes) times.push_back(members.time);
        const auto course =
            run_course(problem, compact_.result.sequence, std::span<const double>(times));
        const auto& waves = course.waves;
        const auto names = class_names(senders_, problem);
        using enum Table::Align;
        Table table({{problem.is_broadcast() ? "receive at" : "send from", right},
                     {"nodes", right},
                     {"of class"},
                     {"that send in", right}});
        for (std::size_t w = 0; w < std::min(waves.size(), report::readable_rows); ++w) {
            const auto& wave = waves[w];
            table.add(
                {report::format_time(Seconds(wave.at), senders_.time_unit),
                 fmt::format("{}", wave.run.count), names[wave.run.class_index],
                 report::format_time(Seconds(times[wave.run.class_index]), senders_.time_unit)});
        }
        return table.text() + report::more_rows(waves.size());
    }

    sender::Plan compact_;
    std::optional<std::size_t> asked_root_;
    const network::Network& network_;
    const SenderNetwork& senders_;
    mutable std::optional<schedule::Plan> expanded_;
};

}  // namespace

SenderProblem::SenderProblem(Setting setting) : PlanningProblem(std::move(setting)) {
    refuse_what_does_not_apply();
    root_ = read_root();
    read_techniques();
}

void SenderProblem::read_techniques() {
    for (const std::string& name : options().without) {
        const auto known = sender::techniques();
        const auto found = std::ranges::find(known, name, &sender::Technique::name);
        if (found == known.end()) {
            std::vector<std::string> names;
            for (const auto& technique : known) names.emplace_back(technique.name);
            throw InputError("--without", "",
                             fmt::format("'{}' is none of {}", name, listed(names, names.size())));
        }
        techniques_.*(found->flag) = false;
    }
}

void SenderProblem::require_algorithm(const std::string& name) const {
    PlanningProblem::require_algorithm(name);
    if (!options().without.empty() && name != paper_search)
        throw InputError("--without", "",
                         fmt::format("it is for {}, and the algorithm is {}", paper_search, name));
}

void SenderProblem::refuse_what_does_not_apply() const {
    const std::array<std::pair<bool, std::string_view>, 4> refused{
        {{!options().bytes.empty(), "--bytes"},
         {!options().segment.empty(), "--segment"},
         {!options().local.empty(), "--local"},
         {options().ranks, "--ranks"}}};
    for (const auto& [given, name] : refused)
        if (given)
            throw InputError(std::string(name), "",
                             fmt::format("{} is of model sender: its nodes pass unit messages on, "
                                         "whole, and have no clusters",
                                         options().network.name));
}

std::optional<std::size_t> SenderProblem::read_root() const {
    if (options().root.empty()) return std::nullopt;
    const auto found = network().sender()->find(options().root);
    if (!found)
        throw InputError(
            "--root", "",
            fmt::format("{} has no node named '{}'", options().network.name, options().root));
    return found;
}

std::unique_ptr<Answer> SenderProblem::plan(const std::string& algorithm) const {
    sender::Request request{.kind = kind(),
                            .root = root_,
                            .ports = ports(),
                            .algorithm = algorithm,
                            .limits = limits(),
                            .techniques = {}};
    if (algorithm == paper_search) request.techniques = techniques_;
    try {
        return std::make_unique<SenderAnswer>(make_plan(*network().sender(), request), root_,
                                              network());
    } catch (const InputError& error) {
        // The planner knows the network, but not the file it came from.
        throw InputError(options().network.name, "", error.what());
    }
}

}  // namespace espalier::frontend
