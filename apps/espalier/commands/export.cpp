#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "core/time_column.hpp"
#include "frontend/tuning.hpp"
#include "inputs/network_source.hpp"
#include "libraries/msccl.hpp"
#include "outputs/result.hpp"
#include "outputs/waiting.hpp"
#include "schedule/json.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace espalier::cli {

namespace {

struct ExportWords {
    frontend::LibraryCallOptions options;
    std::string input;
    SourceOptions source;
    bool progress = false;
    ResultOptions result;
};

std::string tuning_table(const libraries::Tuning& tuning) {
    using enum Table::Align;
    constexpr std::size_t digits = 3;
    Seconds least = tuning.collectives.front().sizes.front().usual;
    for (const auto& collective : tuning.collectives)
        for (const auto& timed : collective.sizes) least = std::min(least, timed.tuned);
    const TimeColumn time(least, digits);
    Table table({{"collective"},
                 {"bytes", right},
                 {"as usual"},
                 {time.title("takes"), right},
                 {"by rule"},
                 {time.title("takes"), right},
                 {"gain", right}});
    for (const auto& collective : tuning.collectives)
        for (const auto& timed : collective.sizes) {
            const bool ruled = timed.rule.algorithm != nullptr;
            std::string rule = ruled ? std::string(timed.rule.algorithm->name) : "-";
            if (timed.rule.segment.value > 0)
                rule += fmt::format(", {}", format_bytes(timed.rule.segment));
            table.add({std::string(schedule::name_of(collective.kind)), format_bytes(timed.bytes),
                       std::string(timed.usual_algorithm->name), time.cell(timed.usual), rule,
                       ruled ? time.cell(timed.tuned) : "-",
                       ruled ? fmt::format("{:.2f}", timed.usual / timed.tuned) : "-"});
        }
    return table.text(columns_of_tables(STDOUT_FILENO));
}

std::string tuning_text(const libraries::Tuning& tuning, const std::string& file) {
    const std::string name = file.empty() ? "FILE" : file;
    const bool openmpi = tuning.library == &libraries::openmpi();
    const std::string text = fmt::format(
        "Rules for {} on {} ranks, by which its collectives are predicted to be {:.2f} times as "
        "fast as usual\n",
        tuning.library->title, tuning.ranks, tuning.gain());
    return wrapped(text, columns_of_output(STDOUT_FILENO), 2) + "\n" + tuning_table(tuning) +
           "\nUse it so: " +
           (openmpi ? fmt::format("mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
                                  "coll_tuned_dynamic_rules_filename {} PROGRAM\n",
                                  name)
                    : fmt::format("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={} mpiexec PROGRAM\n",
                                  name));
}

/// A plan has nothing to choose, and no other form than the file.
void export_plan(const ExportWords& words) {
    const frontend::LibraryCallOptions& asked = words.options;
    for (const auto& [option, is_given] : {std::pair("--hosts", !asked.hosts.empty()),
                                           {"--slots", !asked.slots.empty()},
                                           {"--collectives", !asked.collectives.empty()},
                                           {"--bytes", !asked.bytes.empty()},
                                           {"--json", words.result.json}})
        if (is_given) throw InputError(option, "", "only of a network's rules");
    const schedule::StatedPlan stated = schedule::read_schedule(words.input);
    const std::string program = libraries::msccl_program(stated.plan.schedule, words.input);
    deliver_file(words.result, program,
                 fmt::format("{}: for MSCCL, {} ranks\n", words.result.file,
                             stated.plan.schedule.nodes.size()));
    if (!words.result.file.empty() && words.result.file != "-") say_written(words.result.file);
}

void run_export(ExportWords words) {
    require_writable(words.result);
    const std::string& file = words.result.file;
    if (words.options.target == "msccl-xml") return export_plan(words);
    if (!frontend::is_tuned(words.options.target))
        throw InputError("--for", "",
                         fmt::format("'{}' is none of openmpi-tuned, mpich-json, msccl-xml",
                                     words.options.target));
    words.options.network = {words.input, [&] { return read_network(words.input, words.source); }};
    const libraries::Tuning tuning = [&] {
        const Waiting waiting("predicting", words.progress);
        return frontend::tune(words.options);
    }();
    const std::string rules = frontend::rules_text(tuning);
    if (tuning.library == &libraries::openmpi() && needs_operators_that_commute(tuning))
        warn(
            "Open MPI follows rules for reductions also where operators do not commute, and adds "
            "up wrongly then; for programs with such operators leave reductions out "
            "(--collectives)");
    if (!file.empty()) write_file(file, rules);
    if (file == "-") return;
    std::cout << (words.result.json
                      ? to_text(frontend::to_json(tuning))
                      : tuning_text(tuning, file) + (file.empty() ? "\n" + rules : std::string()))
              << std::flush;
    if (!file.empty()) say_written(file);
}

}  // namespace

Action add_export(CLI::App& app) {
    auto words = std::make_shared<ExportWords>();
    frontend::LibraryCallOptions& asked = words->options;
    app.add_option("FILE", words->input,
                   "a network file (JSON) or a directory; for msccl-xml a schedule file")
        ->type_name("")
        ->required();
    app.add_option("--for", asked.target, "who reads the file")
        ->type_name("openmpi-tuned|mpich-json|msccl-xml")
        ->required();
    app.add_option("--hosts", asked.hosts,
                   "of rules: the hosts of the ranks, in their order: a host a line, also with "
                   "slots=N or :N (all of the network, in its order)")
        ->type_name("HOSTS");
    app.add_option("--slots", asked.slots, "of rules: ranks on each host (as --hosts says, else 1)")
        ->type_name("COUNT");
    app.add_option("--collectives", asked.collectives,
                   "of rules: what they are for (all for which there can be rules)")
        ->type_name("NAME,...");
    app.add_option("--bytes", asked.bytes,
                   "of rules: sizes of operands or blocks, and ranges of them, which double, or "
                   ":4 quadruple (64..4MiB:4)")
        ->type_name("SIZE,FIRST..LAST,...");
    add_progress_option(app, words->progress);
    add_source_options(app, words->source);
    app.add_option("-o,--output", words->result.file, "write the file; - prints it alone")
        ->type_name("FILE");
    add_json_option(app, words->result);
    return [words](const Passed&) { run_export(*words); };
}

}  // namespace espalier::cli
