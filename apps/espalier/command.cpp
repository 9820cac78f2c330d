#include "command.hpp"

#include "commands/all.hpp"
#include "core/error.hpp"
#include "line/help.hpp"
#include "line/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>

namespace espalier::cli {

namespace {

constexpr std::array command_table{
    Command{"measure", "measure the network under a running MPI job", add_measure,
            "mpirun -n 8 espalier measure -o net.json", split_measure},
    Command{"doctor", "what is wrong with a network, and which setting mends it", add_doctor,
            "mpirun -n 8 --hostfile hosts espalier doctor\n"
            "espalier doctor --hostfile hosts -o doctor.json\n"
            "espalier doctor --from doctor.json",
            split_doctor},
    Command{"partition", "find clusters of like nodes", add_partition,
            "espalier partition examples/table4/latency_88_us.csv --unit us"},
    Command{"plan", "plan a collective operation for a network", add_plan,
            "espalier plan broadcast examples/table4/network.json --bytes 1MiB\n"
            "espalier plan allreduce examples/table4/network.json --bytes 8 --timeline plan.svg"},
    Command{"compare", "every algorithm that applies, side by side", add_compare,
            "espalier compare broadcast examples/table4/network.json --bytes 64KiB"},
    Command{"ring", "lay an iterative computation over a ring of hosts", add_ring,
            "espalier ring examples/tiers/network.json --work 1 --exchange 0.3"},
    Command{"check", "check a schedule or a ring against a network, and recompute its time",
            add_check,
            "espalier plan reduce examples/table4/network.json --bytes 8 -o plan.json\n"
            "espalier check plan.json --network examples/table4/network.json"},
    Command{"rehearse", "perform an exchange whose true times differ from the estimates",
            add_rehearse,
            "espalier rehearse alltoall examples/gusto/network.json --noise 0.5 --bytes 1MB"},
    Command{"directory", "keep measurements of a network that changes", add_directory,
            "espalier directory add lab.db --from A --to B --latency 10ms --bandwidth 1MB/s\n"
            "espalier directory show lab.db"},
    Command{"network", "show a network: clusters, latencies, rates, what is shared", add_network,
            "espalier network examples/table4/network.json\n"
            "espalier network examples/table4/network.json -o network.html"},
    Command{"order", "hosts, or ranks, in an order that suits the network", add_order,
            "espalier order examples/table4/network.json --for openmpi -o hosts"},
    Command{"export", "tuning rules for Open MPI and MPICH, and a plan for MSCCL", add_export,
            "espalier export examples/table4/network.json --for openmpi-tuned -o rules.conf"},
    Command{"report", "show a schedule, ring, network, comparison, study, run or doctor's file",
            add_report, "espalier report examples/table4/network.json -o network.svg"},
    Command{"algorithms", "list the algorithms, and where they come from", add_algorithms, ""},
    Command{"generate", "make a network to try things on", add_generate,
            "espalier generate grid --clusters 20 --seed 7 -o random.json"},
    Command{"convert", "read a network in one form and write it in another", add_convert,
            "espalier convert examples/tiers/network.json --to pairwise -o pairs.json"},
    Command{"run", "run an MPI program with planned collectives", add_run,
            "espalier run -n 8 --hostfile hosts -- ./program", split_run},
    Command{"top", "the collectives of runs that go on", add_top,
            "ESPALIER_METRICS=$PWD/metrics espalier run -n 8 -- ./program &\n"
            "espalier top metrics"},
};

const Command* find_command(std::string_view name) {
    const auto* const found = std::ranges::find(command_table, name, &Command::name);
    return found == command_table.end() ? nullptr : found;
}

constexpr std::string_view exit_statuses =
    "Exit status: 0 done, 1 a fault of espalier's own, 2 bad usage or bad input, 3 checked and "
    "found invalid.";

/// What a command says of itself, and how it may be called.
std::string footer_of(const CLI::App& sub, const Command& command) {
    std::string text = sub.get_footer();
    if (command.examples.empty()) return text;
    if (!text.empty()) text += "\n\n";
    text += "Examples:\n  ";
    for (const char letter : command.examples)
        text += letter == '\n' ? "\n  " : std::string(1, letter);
    return text;
}

/// Commands take an empty value for none.
void refuse_empty_values(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options())
        if (std::ranges::count(option->results(), "") > 0)
            throw InputError(option->get_name(), "", "it is empty");
    for (const CLI::App* sub : app.get_subcommands()) refuse_empty_values(*sub);
}

}  // namespace

std::span<const Command> commands() { return command_table; }

void run_command_line(const Words& words) {
    CLI::App app("Plans collective communication for networks that are not uniform", "espalier");
    line::use_columns(app);
    app.set_version_flag("--version", "espalier " ESPALIER_VERSION);
    app.require_subcommand(1);
    Action action;
    for (const Command& command : command_table) {
        CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
        sub->final_callback([&action, bound = command.add(*sub)] { action = bound; });
        sub->footer(footer_of(*sub, command));
    }
    line::add_help_commands(app);
    // Set last, because commands would inherit it.
    app.footer(fmt::format("{}\nespalier help COMMAND says more.", exit_statuses));

    if (words.empty()) throw InputError("no command; espalier --help lists them");
    Split split{words, {}};
    const Command* command = find_command(words.front());
    if (command != nullptr && command->split != nullptr) {
        split = command->split({words.begin() + 1, words.end()});
        split.own.insert(split.own.begin(), words.front());
    }
    if (const auto help = line::asked_help(app, split.own)) {
        std::cout << *help << std::flush;
        return;
    }
    try {
        // CLI11 takes words from the back.
        app.parse(Words(split.own.rbegin(), split.own.rend()));
    } catch (const CLI::CallForVersion& request) {
        std::cout << request.what() << std::endl;
        throw;
    } catch (const CLI::ParseError&) {
        line::refuse_unknown_command(app, words.front());
        // What is missing may stand there under a wrong name.
        line::refuse_left_over(app);
        line::refuse_other_choices(app);
        throw;
    }
    refuse_empty_values(app);
    action(split.passed);
}

}  // namespace espalier::cli
