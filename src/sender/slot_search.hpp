#pragma once

#include "sender/pricing.hpp"
#include "sender/result.hpp"
#include "sender/slot_fillings.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::sender {

/// Looks for a schedule that is over by a window's deadline: fills the slots point by point, and at
/// each point keeps the positions with the greatest surplus under prices of their own.
class SlotSearch {
public:
    SlotSearch(const Window& window, Pricer& pricer, const Meter& meter)
        : window_(window), pricer_(pricer), meter_(meter) {}

    /// The breadth of the search.
    struct Breadth {
        std::size_t width = 1;     ///< positions to keep at a point
        std::size_t fillings = 8;  ///< of one position's slots, to consider
    };
    struct Verdict {
        std::optional<Sequence> sequence;
        bool excluded = false;  ///< proven: there is none
    };
    [[nodiscard]] Verdict run(const Breadth& wanted, Effort& count);

private:
    struct Node {
        Position position;
        std::uint64_t left = 0;  ///< nodes, of all classes
        std::int64_t surplus = 0;
        std::vector<double> target;  ///< for the next slots: how many go to each class, of one
        std::size_t step = 0;        ///< the last in steps_
    };
    /// The numbers of nodes of each class that are placed at a point.
    struct Step {
        std::size_t before = 0;
        std::size_t point = 0;
    };
    struct Candidate {
        std::int64_t slack = 0;
        std::size_t node = 0;
        std::size_t first = 0;  ///< of its counts
    };

    bool assess(Node& node);
    [[nodiscard]] std::uint64_t slots_at(const Node& node, std::size_t point) const;
    bool expand(std::size_t index, std::size_t point, const Breadth& breadth);
    void consider(std::size_t index, std::size_t point, std::uint64_t slots,
                  const Breadth& breadth);
    void add_tests(const Node& node, std::size_t point);
    bool take_best(std::size_t point, const Breadth& breadth);
    Node child(const Node& parent, std::size_t point, const std::uint64_t* placed);
    [[nodiscard]] Sequence sequence_to(std::size_t step) const;

    const Window& window_;
    Pricer& pricer_;
    const Meter& meter_;
    SlotFillings fillings_;
    std::vector<Node> nodes_;
    std::vector<Node> next_;
    std::vector<Step> steps_;
    std::vector<std::uint64_t> placed_;  // by step and class
    std::vector<Candidate> candidates_;
    std::vector<std::uint64_t> counts_;  // of the candidates, by class
    std::vector<std::size_t> able_;      // classes that may take the slots at hand
    std::vector<std::int64_t> loss_;
    bool complete_ = true;
    std::optional<std::size_t> done_;  // the last step of a whole schedule
};

}  // namespace espalier::sender
