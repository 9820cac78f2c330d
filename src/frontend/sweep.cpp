#include "frontend/sweep.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace espalier::frontend {

namespace {

constexpr std::size_t most_sizes = 1000;
constexpr std::size_t most_seeds = 10'000;

/// Adds what `first..last` or `first..last:factor` stands for.
void add_range(std::string_view word, std::size_t dots, const std::string& where,
               std::vector<Bytes>& sizes) {
    const std::string_view rest = word.substr(dots + 2);
    const std::size_t colon = rest.find(':');
    const std::uint64_t first = parse_bytes(word.substr(0, dots), where).value;
    const std::uint64_t last = parse_bytes(rest.substr(0, colon), where).value;
    const std::uint64_t factor =
        colon == std::string_view::npos ? 2 : parse_count(rest.substr(colon + 1), where, 2);
    if (first < 1 || first > last)
        throw InputError(where, "",
                         fmt::format("'{}' is no range from at least 1 byte to no less", word));
    for (std::uint64_t size = first; size < last; size *= factor) {
        sizes.emplace_back(size);
        if (size > std::numeric_limits<std::uint64_t>::max() / factor) break;
    }
    sizes.emplace_back(last);
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, const std::string& where) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        words.emplace_back(text.substr(0, comma));
        if (words.back().empty() || comma + 1 == text.size())
            throw InputError(where, "", "a word of the list is empty");
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return words;
}

std::vector<Bytes> parse_sizes(std::string_view text, const std::string& where) {
    std::vector<Bytes> sizes;
    for (const std::string& word : split_list(text, where)) {
        const std::size_t dots = word.find("..");
        if (dots == std::string::npos)
            sizes.push_back(parse_bytes(word, where));
        else
            add_range(word, dots, where, sizes);
        if (sizes.size() > most_sizes)
            throw InputError(where, "", fmt::format("more than {} sizes", most_sizes));
    }
    std::vector<Bytes> once;
    for (const Bytes size : sizes)
        if (std::ranges::find(once, size) == once.end()) once.push_back(size);
    return once;
}

std::vector<std::uint64_t> parse_seeds(std::string_view text, const std::string& where) {
    std::vector<std::uint64_t> seeds;
    const auto add = [&](std::uint64_t seed) {
        if (std::ranges::find(seeds, seed) != seeds.end()) return;
        seeds.push_back(seed);
        if (seeds.size() > most_seeds)
            throw InputError(where, "", fmt::format("more than {} seeds", most_seeds));
    };
    for (const std::string& word : split_list(text, where)) {
        const std::size_t dots = word.find("..");
        const std::uint64_t first = parse_count(word.substr(0, dots), where);
        const std::uint64_t last =
            dots == std::string::npos ? first : parse_count(word.substr(dots + 2), where);
        if (first > last)
            throw InputError(where, "", fmt::format("'{}' is no range from less to more", word));
        for (std::uint64_t seed = first; seed < last; ++seed) add(seed);
        add(last);
    }
    return seeds;
}

}  // namespace espalier::frontend
