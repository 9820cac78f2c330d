#pragma once

#include <cstddef>
#include <vector>

namespace espalier::schedule {

/// The ranks whose contributions are combined in what a node holds, as sorted disjoint intervals.
class Contributors {
public:
    Contributors() = default;
    explicit Contributors(std::size_t rank) : intervals_{{rank, rank + 1}} {}
    /// The contributions of ranks 0 .. count-1.
    static Contributors all(std::size_t count);

    [[nodiscard]] bool empty() const { return intervals_.empty(); }
    [[nodiscard]] bool contains(const Contributors& other) const;
    [[nodiscard]] bool overlaps(const Contributors& other) const;
    /// Whether the two are neighbours in rank order: together one unbroken run, as an operator that
    /// is not commutative needs.
    [[nodiscard]] bool adjoins(const Contributors& other) const;
    /// Whether these adjoin `other`, and come before it in rank order.
    [[nodiscard]] bool precedes(const Contributors& other) const;
    void add(const Contributors& other);

    friend bool operator==(const Contributors&, const Contributors&) = default;

private:
    struct Interval {
        std::size_t begin;
        std::size_t end;
        friend bool operator==(const Interval&, const Interval&) = default;
    };
    std::vector<Interval> intervals_;
};

}  // namespace espalier::schedule
