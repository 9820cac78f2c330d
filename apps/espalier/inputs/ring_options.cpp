#include "inputs/ring_options.hpp"

namespace espalier::cli {

void add_ring_options(CLI::App& app, frontend::RingOptions& options) {
    app.add_option("--work", options.work, "of a ring whose file does not say it")->type_name("W");
    app.add_option("--exchange", options.exchange, "of a ring whose file does not say it")
        ->type_name("H");
}

}  // namespace espalier::cli
