#pragma once

#include "report/diagram.hpp"

#include <string_view>

namespace espalier::report {

/// The dependence graph of a plan (bhat-1998, Figure 5): a column for each sender with its messages
/// downwards, each labelled with its receiver and below all that it waits for, and an edge from
/// each of these. The critical path is marked.
[[nodiscard]] std::string dependences_svg(const schedule::Plan& plan, const Analysis& analysis,
                                          const TimelineOptions& options = {});

/// How an edge looks, and what a legend says of it.
struct BondStroke {
    simulate::Bond bond = simulate::Bond::sender;
    std::string_view words;
    std::string_view colour;
    const char* dashes = "none";  ///< as SVG's stroke-dasharray
};
[[nodiscard]] const BondStroke& stroke_of(simulate::Bond bond);

/// The depth of each transfer: how many others, at most, have to be over one after the other before
/// it can begin.
[[nodiscard]] std::vector<std::size_t> depths(const simulate::Dependences& graph);

}  // namespace espalier::report
