#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace espalier::runtime {

/// The parts of a row that were reached, as [begin, end).
class Coverage {
public:
    /// Reaches [begin, end): `visit(begin, end, was_reached)` for each part of it, in order.
    template <typename Visit>
    void reach(std::uint64_t begin, std::uint64_t end, const Visit& visit) {
        std::uint64_t next = begin;
        auto part = parts_.upper_bound(begin);
        if (part != parts_.begin() && std::prev(part)->second > begin) --part;
        for (; part != parts_.end() && part->first < end; ++part) {
            const auto [first, last] = *part;
            if (first > next) visit(next, first, false);
            visit(std::max(first, next), std::min(last, end), true);
            next = std::min(last, end);
        }
        if (next < end) visit(next, end, false);
        join(begin, end);
    }
    void clear() { parts_.clear(); }

private:
    void join(std::uint64_t begin, std::uint64_t end) {
        auto part = parts_.upper_bound(begin);
        if (part != parts_.begin() && std::prev(part)->second >= begin) --part;
        while (part != parts_.end() && part->first <= end) {
            begin = std::min(begin, part->first);
            end = std::max(end, part->second);
            part = parts_.erase(part);
        }
        parts_[begin] = end;
    }

    std::map<std::uint64_t, std::uint64_t> parts_;
};

}  // namespace espalier::runtime
