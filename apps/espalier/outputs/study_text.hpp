#pragma once

#include "frontend/study.hpp"

#include <string>

namespace espalier::cli {

/// A study for people: the algorithms over all comparisons, then what is fastest for each size.
[[nodiscard]] std::string study_text(const frontend::Study& study);

/// Time over size, with the bound: a line for each algorithm, as SVG. Throws InputError naming
/// `where` for a study without sizes that can be shown.
[[nodiscard]] std::string study_plot(const frontend::Study& study, const std::string& where);

/// A page that stands for itself and needs no script. `file` is named in it, and `made`
/// says by what the page was made.
[[nodiscard]] std::string study_page(const frontend::Study& study, const std::string& file,
                                     const std::string& made);

/// What it is, in words: `broadcast on net.json, 3 sizes, 6 roots`.
[[nodiscard]] std::string title_of(const frontend::Study& study);

}  // namespace espalier::cli
