#include "line/measure_words.hpp"

#include "line/app.hpp"

namespace espalier::line {

void add_measure_options(CLI::App& app, MeasureWords& words) {
    app.add_option("-o,--output", words.output, "network file to write; - is standard output")
        ->type_name("NET.json");
    app.add_option("--into", words.into,
                   "directory of measurements to add to; made if it does not exist")
        ->type_name("DIR.db");
    app.add_option("--by", words.by,
                   "who measured, as the directory says it; else the first host and its MPI")
        ->type_name("NAME");
    app.add_option("--budget", words.budget, "what the measuring may take, such as 10s")
        ->type_name("TIME")
        ->capture_default_str();
    app.add_option("--tolerance", words.tolerance,
                   "by how much latencies in one cluster may differ")
        ->type_name("NUMBER")
        ->capture_default_str();
    app.add_flag("--symmetric", words.symmetric,
                 "measure one direction of each link between clusters, for both");
    app.add_flag("--compute", words.compute,
                 "measure each host's cycle time, too: what a unit of work takes");
    app.add_option("--kernel", words.kernel,
                   "what is computed then: a shared object with a function double "
                   "espalier_kernel(void), which does some work and returns how many units; else "
                   "cells of a stencil")
        ->type_name("FILE.so");
    app.add_flag("--json", words.json, "print the network on standard output");
    app.add_flag("--table", words.table,
                 "show what was measured on standard error, as espalier network does, even if that "
                 "is no terminal");
}

}  // namespace espalier::line
