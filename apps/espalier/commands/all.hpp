#pragma once

#include "command.hpp"

namespace espalier::cli {

Action add_algorithms(CLI::App& app);
Action add_check(CLI::App& app);
Action add_compare(CLI::App& app);
Action add_convert(CLI::App& app);
Action add_directory(CLI::App& app);
Action add_doctor(CLI::App& app);
Action add_export(CLI::App& app);
Action add_generate(CLI::App& app);
Action add_measure(CLI::App& app);
Action add_network(CLI::App& app);
Action add_order(CLI::App& app);
Action add_partition(CLI::App& app);
Action add_plan(CLI::App& app);
Action add_rehearse(CLI::App& app);
Action add_report(CLI::App& app);
Action add_ring(CLI::App& app);
Action add_run(CLI::App& app);
Action add_top(CLI::App& app);

Split split_doctor(const Words& words);
Split split_measure(const Words& words);
Split split_run(const Words& words);

}  // namespace espalier::cli
