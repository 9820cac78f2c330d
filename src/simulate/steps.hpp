#pragma once

#include "simulate/messages.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::simulate {

/// The step of a schedule that may go on (Schedule::barriers), and its beginning.
class Steps {
public:
    explicit Steps(const Messages& messages) : messages_(messages) {
        if (messages.steps() == 1) return;
        left_.assign(messages.steps(), 0);
        for (std::size_t t = 0; t < messages.schedule().transfers.size(); ++t)
            left_[messages.step_of(t)] += messages.segments(t);
        open_next();
    }

    /// When a transfer's step begins; nullopt while some message of an earlier one has no end yet.
    [[nodiscard]] std::optional<double> begin(std::size_t transfer) const {
        if (messages_.step_of(transfer) > open_) return std::nullopt;
        return begin_;
    }

    /// Tells that a message of that transfer is delivered at `end`. Returns whether that opens
    /// another step.
    bool deliver(std::size_t transfer, double end) {
        if (left_.empty()) return false;
        last_ = std::max(last_, end);
        --left_[messages_.step_of(transfer)];
        return open_next();
    }

private:
    bool open_next() {
        const std::size_t before = open_;
        while (left_[open_] == 0 && open_ + 1 < left_.size()) ++open_;
        if (open_ != before) begin_ = last_;
        return open_ != before;
    }

    const Messages& messages_;
    std::vector<std::size_t> left_;  ///< by step: messages not delivered; empty without barriers
    std::size_t open_ = 0;
    double begin_ = 0;  ///< of the open step; those before it are over
    double last_ = 0;
};

}  // namespace espalier::simulate
