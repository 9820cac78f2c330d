#include "reach.hpp"

#include "common/stopwatch.hpp"
#include "core/infinity.hpp"
#include "ring/greedy.hpp"
#include "ring/optimal.hpp"
#include "ring/portfolio.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string_view>

namespace espalier::bench {

namespace {

/// `where`: the instance that is furthest from it.
void print_line(const std::string& what, const std::string& wanted, const std::string& reached,
                bool holds, const std::string& where = {}) {
    fmt::print("{:<52}  {:>7}  {:>20}  {:<5}  {}\n", what, wanted, reached, holds ? "yes" : "NO",
               where);
    (void)std::fflush(stdout);
}

/// The greatest of some values, and where it was.
class Worst {
public:
    void add(double value, const std::string& where) {
        if (value <= value_) return;
        value_ = value;
        where_ = where;
    }
    [[nodiscard]] double value() const { return value_; }
    [[nodiscard]] const std::string& where() const { return where_; }

private:
    double value_ = -infinity;
    std::string where_;
};

constexpr double same = 1e-6;

struct FewHosts {
    Samples excess;
    Worst worst;
    Worst cpu;
    Worst optimal_cpu;
};

void add(FewHosts& few, const Instance& instance, double ratio, const FewHostsSettings& settings) {
    const std::string where = fmt::format("{}, H/W {}", instance.name(), ratio);
    const Outcome best =
        plan_with(instance, ratio, ring::optimal, {.limits = {.time = Seconds(1e7)}});
    const Outcome found = plan_with(instance, ratio, ring::automatic,
                                    {.limits = as_much_as(settings.search_seconds)});
    const double excess = found.step_time / best.step_time - 1;
    few.excess.add(excess);
    few.worst.add(excess, where);
    few.cpu.add(found.cpu, where);
    few.optimal_cpu.add(best.cpu, where);
}

template <typename Number>
Samples gains(const std::vector<Cell>& cells, double ratio, const Number& step_time) {
    Samples samples;
    for (const Cell& cell : cells)
        if (cell.ratio == ratio) samples.add(cell.gain(step_time(cell)));
    return samples;
}

std::string percent(double part) { return fmt::format("{:.2f}%", 100 * part); }

void never_worse(std::size_t hosts, const std::vector<Cell>& cells) {
    for (std::size_t r = 0; r < ring::refinements.size(); ++r) {
        Worst worst;
        for (const Cell& cell : cells)
            worst.add(cell.automatic.step_time / cell.greedy[r].step_time - 1, cell.where());
        print_line(
            fmt::format("{} hosts: auto over greedy, {}, worst", hosts, ring::refinements[r].name),
            "0", percent(worst.value()), worst.value() <= 1e-12, worst.where());
    }
}

void mean_gains(const std::vector<Cell>& cells) {
    struct Goal {
        double ratio;
        double gain;
    };
    for (const Goal& goal : std::array<Goal, 2>{{{0.1, 0.08}, {0.3, 0.15}}}) {
        const Samples samples =
            gains(cells, goal.ratio, [](const Cell& cell) { return cell.automatic.step_time; });
        if (samples.empty()) continue;
        print_line(fmt::format("37 hosts: gain of auto over greedy at H/W {}, mean", goal.ratio),
                   percent(goal.gain), percent(samples.mean()), samples.mean() >= goal.gain,
                   fmt::format("{} to {}", percent(samples.least()), percent(samples.greatest())));
    }
}

void over_the_bound(std::size_t hosts, const std::vector<Cell>& cells) {
    Samples ratios;
    Worst worst;
    for (const Cell& cell : cells) {
        ratios.add(cell.automatic.step_time / cell.bound);
        worst.add(ratios.greatest(), cell.where());
    }
    const auto print = [&](const std::string& goal, bool holds) {
        print_line(fmt::format("{} hosts: auto over the lower bound, mean", hosts), goal,
                   fmt::format("{:.4f}", ratios.mean()), holds,
                   fmt::format("at most {:.4f}: {}", worst.value(), worst.where()));
    };
    if (hosts != 37) return print("", true);  // nothing is asked for
    for (const double goal : {1.3, 1.1}) print(fmt::format("{}", goal), ratios.mean() <= goal);
}

void speed(std::size_t hosts, double wanted, std::size_t seeds, const std::vector<double>& ratios) {
    Worst cpu;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Stopwatch watch;
        const auto instance = Instance::tiers(hosts, seed);
        const double preparation = watch.cpu();
        for (const double ratio : ratios) {
            const Outcome outcome =
                plan_with(*instance, ratio, ring::greedy, {.limits = {.time = Seconds(1e7)}});
            cpu.add(preparation + outcome.cpu,
                    fmt::format("{}, H/W {}: {} hosts, wall time {:.2f} s", instance->name(), ratio,
                                outcome.hosts, outcome.wall));
        }
    }
    print_line(fmt::format("{} hosts: greedy, longest CPU time", hosts),
               fmt::format("{} s", wanted), fmt::format("{:.3f} s", cpu.value()),
               cpu.value() <= wanted, cpu.where());
}

}  // namespace

void print_reach_head() {
    fmt::print("{:<52}  {:>7}  {:>20}  {:<5}  {}\n", "what", "wanted", "reached", "holds",
               "furthest from it");
}

void reach_few_hosts(const FewHostsSettings& settings) {
    Worst cpu;
    Worst optimal_cpu;
    for (const double ratio : {0.03, 0.1, 0.3, 1.0}) {
        FewHosts few;
        for (const std::size_t hosts : {5U, 6U, 7U})
            for (std::uint64_t seed = 1; seed <= settings.seeds; ++seed)
                add(few, *Instance::tiers(hosts, seed), ratio, settings);
        const double share = few.excess.share_up_to(same);
        print_line(fmt::format("5 to 7 hosts, H/W {}: auto is optimal", ratio), "90%",
                   fmt::format("{} of {}", percent(share), few.excess.size()), share >= 0.9);
        print_line(fmt::format("5 to 7 hosts, H/W {}: auto over optimal, worst", ratio), "1%",
                   percent(few.worst.value()), few.worst.value() <= 0.01, few.worst.where());
        print_line(fmt::format("5 to 7 hosts, H/W {}: auto over optimal, mean", ratio), "",
                   percent(few.excess.mean()), true,
                   fmt::format("from {}", percent(few.excess.least())));
        cpu.add(few.cpu.value(), few.cpu.where());
        optimal_cpu.add(few.optimal_cpu.value(), few.optimal_cpu.where());
    }
    print_line("5 to 7 hosts: auto, longest CPU time", "1 s", fmt::format("{:.3f} s", cpu.value()),
               cpu.value() <= 1, cpu.where());
    print_line("5 to 7 hosts: optimal, longest CPU time", "1 s",
               fmt::format("{:.3f} s", optimal_cpu.value()), optimal_cpu.value() <= 1,
               optimal_cpu.where());
}

void reach_many_hosts(std::size_t hosts, const std::vector<Cell>& cells) {
    never_worse(hosts, cells);
    if (hosts == 37) mean_gains(cells);
    over_the_bound(hosts, cells);
    Worst cpu;
    for (const Cell& cell : cells) cpu.add(cell.automatic.cpu, cell.where());
    print_line(fmt::format("{} hosts: auto, longest CPU time", hosts), "5 s",
               fmt::format("{:.3f} s", cpu.value()), cpu.value() <= 5, cpu.where());
}

void reach_speed(std::size_t seeds, const std::vector<double>& ratios) {
    speed(70, 1, seeds, ratios);
    speed(500, 60, 1, ratios);
}

}  // namespace espalier::bench
