#include "core/nearest_word.hpp"

#include "core/matrix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace espalier {

namespace {

/// Letters that are put in, left out, wrong or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
    Matrix<std::size_t> least(a.size() + 1, b.size() + 1);
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                least(i, j) = i + j;
                continue;
            }
            least(i, j) = std::min({least(i - 1, j) + 1, least(i, j - 1) + 1,
                                    least(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least(i, j) = std::min(least(i, j), least(i - 2, j - 2) + 1);
        }
    return least(a.size(), b.size());
}

/// Whether the letters of `part` stand in `whole` in their order, from its first on: `bcast` in
/// `broadcast`.
bool abbreviates(std::string_view part, std::string_view whole) {
    if (part.empty() || whole.empty() || part.front() != whole.front()) return false;
    for (const char letter : whole)
        if (!part.empty() && part.front() == letter) part.remove_prefix(1);
    return part.empty();
}

}  // namespace

std::vector<std::string_view> meant_by(std::string_view word,
                                       const std::vector<std::string_view>& known) {
    constexpr std::size_t least_letters = 3;
    std::vector<std::pair<std::size_t, std::string_view>> near;
    for (const std::string_view candidate : known) {
        const std::size_t off = distance(word, candidate);
        const bool part = word.size() >= least_letters && abbreviates(word, candidate);
        if (part || 3 * off <= std::max(word.size(), candidate.size()))
            near.emplace_back(off, candidate);
    }
    std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string_view>::first);
    std::vector<std::string_view> words;
    for (const auto& [off, candidate] : near) words.push_back(candidate);
    return words;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
    constexpr std::size_t most = 3;
    std::vector<std::string_view> near = meant_by(word, known);
    if (near.empty()) return {};
    near.resize(std::min(near.size(), most));
    return fmt::format("; did you mean {}?", fmt::join(near, " or "));
}

}  // namespace espalier
