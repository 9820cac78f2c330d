#include "command.hpp"

#include "commands/all.hpp"
#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>

namespace espalier::cli {

namespace {

constexpr std::array command_table{
    Command{"measure", "measure the network under a running MPI job", add_measure, split_measure},
    Command{"partition", "find clusters of like nodes", add_partition},
    Command{"plan", "plan a collective operation for a network", add_plan},
    Command{"compare", "every algorithm that applies, side by side", add_compare},
    Command{"ring", "lay an iterative computation over a ring of hosts", add_ring},
    Command{"check", "check a schedule or a ring against a network, and recompute its time",
            add_check},
    Command{"rehearse", "perform an exchange whose true times differ from the estimates",
            add_rehearse},
    Command{"directory", "keep measurements of a network that changes", add_directory},
    Command{"network", "show a network: clusters, latencies, rates, what is shared", add_network},
    Command{"report", "draw a schedule, a ring or a network", add_report},
    Command{"algorithms", "list the algorithms, and where they come from", add_algorithms},
    Command{"generate", "make a network to try things on", add_generate},
    Command{"convert", "read a network in one form and write it in another", add_convert},
    Command{"run", "run an MPI program with planned collectives", add_run, split_run},
};

const Command* find_command(std::string_view name) {
    const auto* const found = std::ranges::find(command_table, name, &Command::name);
    return found == command_table.end() ? nullptr : found;
}

constexpr std::string_view exit_statuses =
    "Exit status: 0 done, 1 a fault of espalier's own, 2 bad usage or bad input, 3 checked and "
    "found invalid.";

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
    app.set_version_flag("--version", "espalier " ESPALIER_VERSION);
    app.require_subcommand(1);
    Action action;
    for (const Command& command : command_table) {
        CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
        sub->final_callback([&action, bound = command.add(*sub)] { action = bound; });
    }

    // Set last, because commands would inherit it.
    app.footer(fmt::format("{}\nespalier COMMAND --help says more.", exit_statuses));

    Split split{words, {}};
    const Command* command = words.empty() ? nullptr : find_command(words.front());
    if (command != nullptr && command->split != nullptr) {
        split = command->split({words.begin() + 1, words.end()});
        split.own.insert(split.own.begin(), words.front());
    } else if (command == nullptr && !words.empty() && !words.front().starts_with('-')) {
        throw InputError(words.front(), "", "no command has this name; espalier --help lists them");
    }
    try {
        // CLI11 takes words from the back.
        app.parse(Words(split.own.rbegin(), split.own.rend()));
    } catch (const CLI::CallForHelp&) {
        std::cout << app.help() << std::flush;
        throw;
    } catch (const CLI::CallForVersion& request) {
        std::cout << request.what() << std::endl;
        throw;
    } catch (const CLI::RequiredError&) {
        if (command != nullptr) throw;
        throw InputError(words.empty() ? "no command; espalier --help lists them"
                                       : words.front() +
                                             ": is no command; espalier --help lists "
                                             "them");
    }
    refuse_empty_values(app);
    action(split.passed);
}

}  // namespace espalier::cli
