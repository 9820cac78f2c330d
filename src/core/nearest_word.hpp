#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier {

/// Those of `known` that a person who typed `word` may have meant, the most likely first: what it
/// abbreviates (its first letter and at least two more in their order), and what differs by no more
/// than a third of its letters (put in, left out, wrong, or two of them swapped).
[[nodiscard]] std::vector<std::string_view> meant_by(std::string_view word,
                                                     const std::vector<std::string_view>& known);

/// `; did you mean ecef or ecef-la?` for the end of a line about a word that is none of `known`;
/// empty where nothing is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& known);

}  // namespace espalier
