#include "line/variables.hpp"

#include <array>

namespace espalier::line {

namespace {

// docs/runtime.md says all of them at more length.
constexpr std::array of_programs{
    Variable{"ESPALIER", "on|off", "off: the library touches no call"},
    Variable{"ESPALIER_NETWORK", "FILE", "the network; else it is measured, and kept"},
    Variable{"ESPALIER_MEASURE", "auto|off|force",
             "whether a start may measure where no network is given: where none is kept that is "
             "young enough; never; each time"},
    Variable{"ESPALIER_MEASURE_BUDGET", "TIME",
             "what measuring may take (2 s and ten of the largest round trips)"},
    Variable{"ESPALIER_CACHE", "DIR",
             "where networks and records of calls are kept ($XDG_CACHE_HOME/espalier, else "
             "~/.cache/espalier)"},
    Variable{"ESPALIER_PLAN", "auto|always|never",
             "always: plan inside one cluster as well, and never choose MPI's own algorithm"},
    Variable{"ESPALIER_REPRODUCIBLE", "recorded|on|off",
             "how reductions are done whose result depends on the order of operands: as calls "
             "decide, and in later runs likewise; as predicted; in each run anew"},
    Variable{"ESPALIER_ROBUST", "p50|...|p99",
             "compare plans by this percentile of the time that they may take"},
    Variable{"ESPALIER_PROGRESS", "calls|thread",
             "what moves nonblocking collectives on: the program's MPI calls, or a thread as well"},
    Variable{"ESPALIER_MEMORY", "SIZE", "what a rank may use beside the program's own buffers"},
    Variable{"ESPALIER_ALGORITHM", "NAME:ALGORITHM,...",
             "algorithms of collectives, such as broadcast:ecef@64KiB; native is MPI's own"},
    Variable{"ESPALIER_LOG", "quiet|info|debug",
             "quiet: nothing on standard error; debug: a line for each new plan"},
    Variable{"ESPALIER_REPORT", "off|summary|FILE|DIR",
             "what was called, planned, predicted and measured: a few lines when the program ends "
             "(which espalier run asks for where nothing else is said), or files"},
    Variable{"ESPALIER_METRICS", "DIR",
             "where runs tell of themselves while they go on, for Prometheus and espalier top"},
    Variable{"ESPALIER_TEST_HOSTS", "NAME,...",
             "for tests on one machine: the host that each rank shall believe to be on"},
};
constexpr Variable no_colour{"NO_COLOR", "", "no colour at a terminal, where it is not empty"};

}  // namespace

std::vector<Variable> variables_of(const CLI::App& command) {
    std::vector<Variable> found;
    const std::string name = command.get_parent() == nullptr ? "" : command.get_name();
    for (const Variable& variable : of_programs)
        if (name.empty() || name == "run" || (name == "top" && variable.name == "ESPALIER_METRICS"))
            found.push_back(variable);
    found.push_back(no_colour);
    return found;
}

}  // namespace espalier::line
