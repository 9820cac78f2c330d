#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/prose.hpp"
#include "core/text.hpp"
#include "frontend/problem.hpp"
#include "inputs/problem_words.hpp"
#include "outputs/command_words.hpp"
#include "outputs/drawing.hpp"
#include "outputs/result.hpp"
#include "outputs/waiting.hpp"
#include "report/plan_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace espalier::cli {

namespace {

struct PlanOptions {
    ProblemWords problem;
    std::string algorithm = "auto";
    DrawingOptions timeline;
    std::string certificate;
    bool explain = false;
    bool progress = false;
    ResultOptions result;
};

std::string answer_text(const frontend::Answer& answer, Seconds took, bool explained) {
    const report::Headline headline = answer.headline();
    std::string text = title_of(headline) + "\n" + verdict_of(headline) + "\n";
    if (const std::string bounds = bounds_of(headline); !bounds.empty()) text += bounds + "\n";
    text += fmt::format("{}, planned in {}\n{}", size_of(headline), format_seconds(took),
                        answer.remarks());
    text = wrapped(text, columns_of_output(STDOUT_FILENO), 2);
    // What is behind the algorithm's name may go on below.
    constexpr std::size_t name_width = 26;
    if (explained)
        text += "\n" + wrapped(plan::explain(answer.considered()), columns_of_tables(STDOUT_FILENO),
                               name_width);
    return text + answer.tables();
}

void check_options(const PlanOptions& options) {
    check_drawing(options.timeline, "--timeline");
    require_writable({options.result.file, options.timeline.file, options.certificate});
}

void run_plan(const PlanOptions& options, const std::string& made) {
    check_options(options);
    const auto problem = frontend::make_problem(options_of(options.problem));
    problem->require_algorithm(options.algorithm);
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = [&] {
        const Waiting waiting("planning", options.progress);
        return problem->plan(options.algorithm);
    }();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (!options.certificate.empty()) {
        write_file(options.certificate, answer->certificate());
        say_written(options.certificate);
    }
    for (const std::string& line : problem->assumptions()) warn(line);
    if (!options.timeline.file.empty()) {
        {
            const Waiting waiting("drawing " + options.timeline.file, options.progress);
            report::TimelineOptions look = answer->look();
            look.origin = {made};
            write_drawing(options.timeline, answer->plan(), look);
        }
        say_written(options.timeline.file);
        warn_of_what_is_left_out(options.timeline, answer->plan());
    }
    deliver_text(
        options.result, [&] { return answer_json(*answer, options.explain); },
        [&] { return answer_text(*answer, Seconds(took.count()), options.explain); });
}

}  // namespace

Action add_plan(CLI::App& app) {
    auto options = std::make_shared<PlanOptions>();
    add_problem_options(app, options->problem);
    app.add_option("--algorithm", options->algorithm,
                   "a name from espalier algorithms, or auto: the best prediction")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_flag("--ranks", options->problem.options.ranks,
                 "the plan between ranks in place of that between "
                 "clusters");
    app.add_option("--timeline", options->timeline.file,
                   "draw the plan: a picture, a page to zoom in, or a trace for Perfetto")
        ->type_name("OUT.svg|OUT.html|OUT.json");
    add_view_option(app, options->timeline);
    app.add_flag("--explain", options->explain,
                 "list every candidate: what it seemed to take, what it took when simulated, and "
                 "why it lost");
    app.add_option("--certificate", options->certificate,
                   "write the proof of the lower bound, for espalier check")
        ->type_name("C.json");
    add_progress_option(app, options->progress);
    add_file_option(app, options->result, "SCHEDULE.json");
    add_json_option(app, options->result);
    return [options, &app](const Passed&) { run_plan(*options, made_by(app)); };
}

}  // namespace espalier::cli
