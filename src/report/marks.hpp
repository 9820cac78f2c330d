#pragma once

#include "report/svg.hpp"

#include <string_view>

namespace espalier::report {

// Marks that pictures share: a picture refers to one so once it has defined it inside its `defs`.

/// The hatching over bars that come in segments.
inline constexpr std::string_view hatch_mark = "url(#espalier-hatch)";
/// The arrow head at the end of a line.
inline constexpr std::string_view arrow_mark = "url(#espalier-arrow)";

void define_hatch(Svg& svg);
void define_arrow(Svg& svg);
/// Stripes every `size` pixels, turned by so many degrees, to be referred to as `url(#id)`.
void define_stripes(Svg& svg, std::string_view id, double size, double degrees, double stripe,
                    std::string_view colour, double opacity);

}  // namespace espalier::report
