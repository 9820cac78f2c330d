#include "random_site_job.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/race.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace espalier;

/// An algorithm with which `auto` is compared.
struct Named {
    std::string algorithm;
    Seconds time;
};

/// The best of all algorithms of the table, each by its name.
Named best_by_name(const bench::Instance& instance, const Limits& budget) {
    std::optional<Named> best;
    std::set<std::string_view> tried;
    for (const plan::Algorithm& algorithm : plan::algorithms()) {
        if (!plan::serves(algorithm, instance.request.kind)) continue;
        if (!tried.insert(algorithm.name).second) continue;
        plan::Request request = instance.request;
        request.algorithm = algorithm.name;
        // A paper's rule is stated for one whole message; here all may cut theirs.
        request.segmenting.mode = plan::Segmenting::Mode::automatic;
        try {
            const Seconds time = plan::race(instance.job, request, budget).best().time;
            if (!best || time < best->time) best = Named{std::string(algorithm.name), time};
        } catch (const InputError&) {
            // Not for this request.
        }
    }
    return best.value();
}

struct Row {
    bench::Instance instance;
    plan::Ranked found;
    Named named;
    double seconds = 0;  ///< that `auto` took

    [[nodiscard]] double behind() const { return found.time / named.time - 1; }
};

Row run(Random& random, double times) {
    using Clock = std::chrono::steady_clock;
    Row row{.instance = bench::random_instance(random)};
    const auto begin = Clock::now();
    row.found = plan::race(row.instance.job, row.instance.request).best();
    row.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const Limits standard = plan::standard_budget(row.instance.job.places.size());
    const Limits budget{standard.time, static_cast<std::uint64_t>(
                                           times * static_cast<double>(standard.most_steps()))};
    row.named = best_by_name(row.instance, budget);
    return row;
}

void print(std::size_t number, const Row& row) {
    const plan::Request& request = row.instance.request;
    fmt::print(
        "{:>4} {:<14} {:>9} B {:>4} ranks {:>2} sites{} {:>10.3f} ms {:<16} {:>10.3f} ms "
        "{:<16} {:>6.1f}% {:>6.2f} s\n",
        number, name_of(request.kind), request.bytes.value, row.instance.job.places.size(),
        row.instance.grid->clusters.size(), row.instance.grid->shared.empty() ? "  " : " s",
        row.found.time.value * 1e3, row.found.plan.schedule.algorithm, row.named.time.value * 1e3,
        row.named.algorithm, 100 * row.behind(), row.seconds);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("How far `auto` is behind the best that any algorithm finds by name");
    std::size_t jobs = 200;
    std::uint64_t seed = 1;
    double times = 10;
    app.add_option("--jobs", jobs, "Random jobs");
    app.add_option("--seed", seed, "The first job's; each has the next");
    app.add_option("--times", times, "Budget by name, in budgets of `auto`");
    CLI11_PARSE(app, argc, argv);

    std::vector<double> behind;
    std::vector<double> seconds;
    for (std::size_t j = 0; j < jobs; ++j) {
        Random random(seed + j);
        const Row row = run(random, times);
        print(seed + j, row);
        behind.push_back(row.behind());
        seconds.push_back(row.seconds);
    }
    std::ranges::sort(behind);
    std::ranges::sort(seconds);
    const auto within = std::ranges::count_if(behind, [](double part) { return part <= 0.02; });
    fmt::print(
        "{} jobs, {} within 2%; behind: median {:.2f}%, worst {:.2f}%; planning: median "
        "{:.2f} s, longest {:.2f} s\n",
        jobs, within, 100 * behind[behind.size() / 2], 100 * behind.back(),
        seconds[seconds.size() / 2], seconds.back());
}
