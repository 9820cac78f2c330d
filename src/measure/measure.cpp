#include "measure/measure.hpp"

#include "core/error.hpp"
#include "measure/measurement.hpp"

#include <cmath>

namespace espalier::measure {

network::Network measure_network(MPI_Comm parent, const Options& options,
                                 const Progress& progress) {
    return measure_in_detail(parent, options, progress).network;
}

Measured measure_in_detail(MPI_Comm parent, const Options& options, const Progress& progress) {
    if (!(options.budget.value > 0) || !std::isfinite(options.budget.value))
        throw InputError("--budget", "", "a time above 0 is needed");
    if (!(options.round_trips >= 0) || !std::isfinite(options.round_trips))
        throw InputError("round trips", "", "a number of at least 0 is needed");
    if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance))
        throw InputError("--tolerance", "", "a number of at least 0 is needed");
    Measurement measurement(parent, options, progress);
    network::Network network = measurement.run();
    return {std::move(network), measurement.take_findings(), measurement.take_notes()};
}

}  // namespace espalier::measure
