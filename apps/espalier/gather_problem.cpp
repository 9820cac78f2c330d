#include "gather_problem.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "network/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier::cli {

namespace {

/// As much of a ring as people read.
constexpr std::size_t most_named = 100;

class GatherAnswer final : public Answer {
public:
    explicit GatherAnswer(plan::GatherPlan found) : found_(std::move(found)) {}

    [[nodiscard]] report::Headline headline() const override {
        return report::headline_of(found_.plan);
    }
    [[nodiscard]] std::size_t segments() const override { return 1; }
    [[nodiscard]] std::string remarks() const override {
        if (found_.order.size() < 2) return {};
        return fmt::format("slowest step {}, {}; once round takes {}\n",
                           format_seconds(Seconds(found_.value.slowest)), distance(),
                           format_seconds(Seconds(found_.value.sum)));
    }
    [[nodiscard]] std::string tables() const override {
        const auto& schedule = found_.plan.schedule;
        if (schedule.transfers.empty()) return {};
        return ring() + "\n" + transfer_table(found_.plan, "");
    }
    [[nodiscard]] const schedule::Plan& plan() const override { return found_.plan; }

private:
    [[nodiscard]] std::string distance() const {
        constexpr double rounding = 1e-12;
        const Seconds slowest(found_.value.slowest);
        if (found_.slowest_bound.value <= 0) return "of which no bound is known";
        if (slowest <= found_.slowest_bound * (1 + rounding)) return "the fastest of all rings";
        return fmt::format("{} over the fastest of all rings",
                           report::percent_over(slowest, found_.slowest_bound));
    }
    [[nodiscard]] std::string ring() const {
        std::string text = "ring:";
        for (std::size_t place = 0; place < found_.order.size() && place < most_named; ++place)
            text += " " + found_.plan.schedule.nodes[found_.order[place]];
        if (found_.order.size() > most_named)
            text += fmt::format(" … and {} more", found_.order.size() - most_named);
        return text + "\n";
    }

    plan::GatherPlan found_;
};

}  // namespace

GatherProblem::GatherProblem(Setting setting)
    : PlanningProblem(std::move(setting)), nodes_(network()) {
    refuse_what_does_not_apply();
    if (options().bytes.empty())
        throw InputError("--bytes", "", "needed: what each node has for all others");
    request_.block = parse_bytes(options().bytes, "--bytes");
    request_.ports = ports();
    request_.limits = limits();
}

void GatherProblem::refuse_what_does_not_apply() const {
    const auto refuse = [](bool given, const std::string& option, const std::string& reason) {
        if (given) throw InputError(option, "", reason);
    };
    refuse(!options().root.empty(), "--root", "an all-gather has no root");
    refuse(!options().segment.empty(), "--segment", "the blocks of an all-gather are sent whole");
    refuse(!options().local.empty(), "--local",
           "an all-gather is planned between all nodes at once");
    refuse(!options().without.empty(), "--without",
           "only paper-search has techniques to do without");
}

std::unique_ptr<Answer> GatherProblem::plan(const std::string& algorithm) const {
    plan::GatherRequest request = request_;
    request.algorithm = algorithm;
    try {
        plan::GatherPlan found = plan_gather(nodes_.fabric(), nodes_.names(), request);
        found.plan.schedule.network = network::fingerprint(network());
        return std::make_unique<GatherAnswer>(std::move(found));
    } catch (const InputError& error) {
        // The planner knows the network, but not the file it came from.
        throw InputError(options().network, "", error.what());
    }
}

}  // namespace espalier::cli
