#pragma once

#include "measure/method/probe.hpp"

#include <functional>
#include <vector>

namespace espalier::measure::test {

/// A link with a known latency and gap: a message of m bytes is latency(m) under way, and then
/// needs gap(m) of the link, which messages that are there together share evenly. Small answers
/// come back on a way of their own.
class ModelLink : public ProbeLink {
public:
    using Cost = std::function<double(double bytes)>;
    ModelLink(Cost latency, Cost gap) : latency_(std::move(latency)), gap_(std::move(gap)) {}

    [[nodiscard]] double now() override { return clock_; }
    std::vector<Answer> fire(std::span<const Probe> volley) override;

    /// Added to what each answer took; called once for each.
    std::function<double()> noise = [] { return 0.0; };
    std::size_t volleys = 0;
    double longest_pause = 0;

private:
    [[nodiscard]] double one_way() const { return latency_(1) + gap_(1); }

    Cost latency_;
    Cost gap_;
    double clock_ = 100;
};

}  // namespace espalier::measure::test
