#include "directory/shared_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace espalier::directory {

namespace {

using IndexPair = std::pair<std::size_t, std::size_t>;

/// A rate that a pair had in company.
struct Rate {
    double value = 0;
    std::optional<Bytes> size;
    const Value* from = nullptr;
};

using Company = std::vector<Pair>;
/// The rates of its pairs, by company. Of several measurements of a pair the newest counts, and of
/// those the one of the largest messages.
using Companies = std::map<Company, std::map<Pair, Rate>>;

Companies rates_in_company(const std::vector<Value>& values) {
    Companies companies;
    for (const Value& value : values) {
        if (value.company.empty()) continue;
        auto& rates = companies[value.company];
        const bool gap = value.quantity == Quantity::gap;
        if (value.quantity == Quantity::latency || (gap && (value.value <= 0 || !value.size)))
            continue;
        const double rate =
            gap ? static_cast<double>(value.size->value) / value.value : value.value;
        if (rate <= 0) continue;
        // Values come by increasing size.
        Rate& best = rates[value.pair];
        if (best.from == nullptr || best.from->newest <= value.newest)
            best = {rate, value.size, &value};
    }
    return companies;
}

/// How many streams of a pair are in a company.
std::size_t times_in(const Company& company, const Pair& pair) {
    return static_cast<std::size_t>(std::count(company.begin(), company.end(), pair));
}

/// Parts of a round number add up to it only nearly.
double without_residue(double sum) {
    constexpr int digits = 14;
    double rounded = sum;
    const std::string text = fmt::format("{:.{}g}", sum, digits);
    std::from_chars(text.data(), text.data() + text.size(), rounded);
    return rounded;
}

class Finder {
public:
    explicit Finder(KnownCosts& known) : known_(known) {
        for (std::size_t i = 0; i < known.nodes.size(); ++i) index_.emplace(known.nodes[i], i);
    }

    void look_at(const Company& company, const std::map<Pair, Rate>& rates) {
        std::set<Pair> members(company.begin(), company.end());
        SharedLink link;
        double mean = 0;
        for (const auto& [pair, rate] : rates)
            mean += rate.value / static_cast<double>(rates.size());
        double together = 0;
        double alone_before = 0;
        double alone_after = 0;
        bool one_fell = false;
        for (const Pair& pair : members) {
            const auto ends = indices_of(pair);
            if (rates.empty() || !ends) return unclear();
            const auto found = rates.find(pair);
            const auto alone =
                rate_alone(*ends, found == rates.end() ? std::nullopt : found->second.size);
            if (found == rates.end() && !alone) return unclear();
            const auto times = static_cast<double>(times_in(company, pair));
            const double rate = found == rates.end() ? std::min(mean, *alone) : found->second.value;
            together += times * rate;
            link.pairs.push_back(*ends);
            if (found == rates.end() || !alone) continue;
            alone_before += times * *alone;
            alone_after += times * rate;
            one_fell = one_fell || rate <= 0.75 * *alone;
        }
        if (alone_before == 0) return unclear();
        if (!one_fell && alone_after > 0.9 * alone_before) return;
        link.capacity = without_residue(together);
        std::sort(link.pairs.begin(), link.pairs.end());
        for (const auto& [pair, rate] : rates) known_.count(*rate.from);
        found_.links.push_back(std::move(link));
    }

    [[nodiscard]] SharedLinks result() && {
        merge();
        return std::move(found_);
    }

private:
    void unclear() { ++found_.unclear; }

    [[nodiscard]] std::optional<IndexPair> indices_of(const Pair& pair) const {
        const auto from = index_.find(pair.from);
        const auto to = index_.find(pair.to);
        if (from == index_.end() || to == index_.end() || from == to) return std::nullopt;
        return IndexPair(from->second, to->second);
    }

    [[nodiscard]] std::optional<double> rate_alone(const IndexPair& pair,
                                                   std::optional<Bytes> size) const {
        const PairCosts* costs = known_.find(pair.first, pair.second);
        return costs == nullptr ? std::nullopt : costs->rate(size);
    }

    static bool alike(double a, double b) { return std::abs(a - b) <= 0.05 * std::max(a, b); }

    /// Whether these two were found to share a link of about this capacity.
    [[nodiscard]] bool share(const IndexPair& a, const IndexPair& b, double capacity) const {
        const std::vector<std::size_t>& with_a = links_of_.at(a);
        return std::any_of(with_a.begin(), with_a.end(), [&](std::size_t id) {
            const SharedLink& link = found_.links[id];
            return alike(link.capacity, capacity) &&
                   std::binary_search(link.pairs.begin(), link.pairs.end(), b);
        });
    }

    [[nodiscard]] bool are_one(const SharedLink& a, const SharedLink& b) const {
        if (!alike(a.capacity, b.capacity)) return false;
        return std::all_of(a.pairs.begin(), a.pairs.end(), [&](const IndexPair& x) {
            return std::all_of(b.pairs.begin(), b.pairs.end(), [&](const IndexPair& y) {
                return x == y || share(x, y, a.capacity);
            });
        });
    }

    /// Takes groups into the first that they are one with.
    void merge() {
        for (std::size_t id = 0; id < found_.links.size(); ++id)
            for (const IndexPair& pair : found_.links[id].pairs) links_of_[pair].push_back(id);
        std::vector<SharedLink> merged;
        for (const SharedLink& link : found_.links) {
            const auto same =
                std::find_if(merged.begin(), merged.end(),
                             [&](const SharedLink& other) { return are_one(other, link); });
            if (same == merged.end()) {
                merged.push_back(link);
                continue;
            }
            const std::size_t before = same->pairs.size();
            same->pairs.insert(same->pairs.end(), link.pairs.begin(), link.pairs.end());
            std::sort(same->pairs.begin(), same->pairs.end());
            same->pairs.erase(std::unique(same->pairs.begin(), same->pairs.end()),
                              same->pairs.end());
            // The largest company tells the capacity best: it filled the link.
            const bool larger = link.pairs.size() > before;
            const bool as_large = link.pairs.size() == before;
            if (larger || (as_large && link.capacity > same->capacity))
                same->capacity = link.capacity;
        }
        found_.links = std::move(merged);
    }

    KnownCosts& known_;
    std::map<std::string, std::size_t> index_;
    SharedLinks found_;
    std::map<IndexPair, std::vector<std::size_t>> links_of_;
};

}  // namespace

SharedLinks find_shared_links(const std::vector<Value>& values, KnownCosts& known) {
    Finder finder(known);
    for (const auto& [company, rates] : rates_in_company(values)) finder.look_at(company, rates);
    return std::move(finder).result();
}

}  // namespace espalier::directory
