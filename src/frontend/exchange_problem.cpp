#include "frontend/exchange_problem.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "frontend/demand_matrices.hpp"
#include "network/json.hpp"
#include "report/demand_text.hpp"
#include "report/transfer_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::frontend {

namespace {

class ExchangeAnswer final : public Answer {
public:
    explicit ExchangeAnswer(schedule::Plan plan) : plan_(std::move(plan)) {}

    [[nodiscard]] report::Headline headline() const override { return report::headline_of(plan_); }
    [[nodiscard]] std::size_t segments() const override { return 1; }
    [[nodiscard]] std::string remarks() const override { return report::demand_lines(plan_); }
    [[nodiscard]] std::string tables() const override {
        if (plan_.schedule.transfers.empty()) return {};
        return report::missed_table(plan_) + "\n" + report::transfer_table(plan_, "");
    }
    [[nodiscard]] const schedule::Plan& plan() const override { return plan_; }

private:
    schedule::Plan plan_;
};

}  // namespace

std::shared_ptr<const Matrix<Bytes>> read_exchange_sizes(const BlockSizes& asked,
                                                         const std::vector<std::string>& names) {
    const auto stated = asked.of_pairs(names);
    auto sizes = std::make_shared<Matrix<Bytes>>(names.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = 0; j < names.size(); ++j) {
            (*sizes)(i, j) = as_bytes(stated(i, j).value_or(0), asked.name);
            if (i == j && (*sizes)(i, j).value > 0)
                throw InputError(asked.name, "",
                                 fmt::format("'{}' has a message for itself", names[i]));
        }
    return sizes;
}

ExchangeProblem::ExchangeProblem(Setting setting)
    : PlanningProblem(std::move(setting)), nodes_(network()) {
    refuse_what_does_not_apply();
    request_.collective = read_sizes();
    request_.ports = ports();
    request_.reception = read_reception();
    request_.limits = limits();
    read_demands();
    request_.refined = read_refined();
}

void ExchangeProblem::refuse_what_does_not_apply() const {
    const auto refuse = [](const std::string& option, const std::string& value,
                           const std::string& reason) {
        if (!value.empty()) throw InputError(option, "", reason);
    };
    refuse("--root", options().root, "a total exchange has no root");
    refuse("--segment", options().segment, "the messages of a total exchange are sent whole");
    refuse("--local", options().local, "a total exchange is planned between all nodes at once");
    if (!options().without.empty())
        throw InputError("--without", "", "only paper-search has techniques to do without");
}

schedule::Collective ExchangeProblem::read_sizes() const {
    if (options().sizes.empty()) {
        if (options().bytes.empty())
            throw InputError("--bytes", "",
                             "needed: what each node has for each other (or --sizes MATRIX.csv)");
        return {.kind = schedule::Kind::alltoall,
                .nodes = names().size(),
                .bytes = parse_bytes(options().bytes, "--bytes")};
    }
    if (!options().bytes.empty())
        throw InputError("--bytes", "", "--sizes says already what each node has for each other");
    return schedule::exchange_of_sizes(read_exchange_sizes(options().sizes, names()));
}

schedule::Reception ExchangeProblem::read_reception() const {
    const std::string& text = options().reception;
    if (text.empty()) return {};
    const auto reception = schedule::parse_reception(text);
    if (!reception)
        throw InputError(
            "--reception", "",
            fmt::format("'{}' is not serial, interleaved:OVERHEAD or buffered:SIZE", text));
    return *reception;
}

void ExchangeProblem::read_demands() {
    request_.relays = options().relays;
    if (const std::string& name = options().critical; !name.empty()) {
        const auto found = std::ranges::find(names(), name);
        if (found == names().end())
            throw InputError("--critical", "", fmt::format("no node is named '{}'", name));
        request_.critical = static_cast<std::size_t>(found - names().begin());
    }
    if (!options().priorities.empty() && options().deadlines.empty())
        throw InputError("--priorities", "", "they count only where there are --deadlines");
    if (!options().deadlines.empty())
        request_.dues = read_dues(options().deadlines, options().priorities, names());
}

std::shared_ptr<const schedule::Schedule> ExchangeProblem::read_refined() const {
    if (options().refine.empty()) return nullptr;
    schedule::Schedule old = options().refine.read();
    if (old.collective.kind != schedule::Kind::alltoall)
        throw InputError(options().refine.name, "collective",
                         fmt::format("a schedule of a total exchange is to be refined, not of a {}",
                                     name_of(old.collective.kind)));
    return std::make_shared<const schedule::Schedule>(std::move(old));
}

bool ExchangeProblem::shows(const AlgorithmEntry& algorithm) const {
    // What proves is shown always, by whichever name it goes.
    return algorithm.family != Family::demands || !algorithm.by_default || request_.relays ||
           request_.critical || request_.dues.rows() > 0;
}

std::unique_ptr<Answer> ExchangeProblem::plan(const std::string& algorithm) const {
    if (request_.refined && algorithm != "auto")
        throw InputError(
            "--refine", "",
            fmt::format("refines a schedule in place of planning one by {}", algorithm));
    demands::ExchangeRequest request = request_;
    request.algorithm = algorithm;
    try {
        schedule::Plan plan = plan_exchange(fabric(), names(), request);
        plan.schedule.network = network::fingerprint(network());
        return std::make_unique<ExchangeAnswer>(std::move(plan));
    } catch (const InputError& error) {
        // The planner knows the network, but not the file it came from.
        throw InputError(options().network.name, "", error.what());
    }
}

}  // namespace espalier::frontend
