#pragma once

#include "measure/method/fit.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::measure {

/// What to find out about one direction of one link, and when to end.
struct SurveyOptions {
    std::vector<std::uint64_t> sizes;  ///< bytes of the messages to try, the most important first
    std::size_t refinements = 0;       ///< how many sizes between those may be added
    double round_trip = 0;             ///< seconds, as far as known
    double deadline = 0;               ///< on the link's clock, in seconds
    bool at_any_rate = false;          ///< measure the least that tells something, time or not
    std::size_t repeats = 15;          ///< how often at most each size is tried
    Shape shape;                       ///< what is known of other links of this job, if anything
};

/// Sizes that make a good table without knowing anything: powers of two from 64 B to 1 MiB, those
/// first that all others can be drawn between.
[[nodiscard]] std::vector<std::uint64_t> default_sizes();

/// Measures latency and gap of one direction of a link at as many sizes as there is time for.
///
/// A message of m bytes, answered by a small one, takes T1 = L(m) + g(m) + (one way of the answer);
/// n of them back to back, answered once, take Tn = T1 + (n - 1) g(m), whether the network queues
/// them or lets them share. The two give g(m) and L(m); half the round trip of a small message is
/// the way of the answer. Where the round trip is long, several probes are on the way at a time, at
/// such distances that they do not meet; those that turn out to have met are repeated. Where the
/// clock shows no noise, one sample is enough; otherwise it is the lower quartile of several. What
/// was not measured is drawn after the shape, as far as that fits what was.
[[nodiscard]] LinkCosts survey(ProbeLink& link, const SurveyOptions& options);

}  // namespace espalier::measure
