#pragma once

#include "report/diagram.hpp"

#include <string>

namespace espalier::report {

/// A page with all views of a plan, to be zoomed and searched; it stands for itself and loads
/// nothing from elsewhere. `view` is what it opens with. Throws std::invalid_argument where the
/// timeline is not one of that schedule.
[[nodiscard]] std::string diagram_html(const schedule::Plan& plan, const Analysis& analysis,
                                       View view, const TimelineOptions& options = {});

}  // namespace espalier::report
