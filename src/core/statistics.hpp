#pragma once

#include <span>
#include <vector>

namespace espalier {

// Of samples in any order, of which there is at least one.

/// The middle value, or the mean of the two middle ones.
[[nodiscard]] double median(std::span<const double> samples);

/// The value that `percent` of the samples are below, interpolated between neighbours: 0 is the
/// least, 100 the greatest.
[[nodiscard]] double percentile(std::span<const double> samples, double percent);

/// The least value: what a time would be if nothing disturbed it, since disturbances only add.
[[nodiscard]] double minimum(std::span<const double> samples);

/// The value that a quarter of the samples are below, or the least of a few: what a time usually is
/// when nothing disturbs it. Disturbances only add to a time, and on a busy machine they hit more
/// than half of the samples; the least of many, on the other hand, was lucky.
[[nodiscard]] double lower_quartile(std::span<const double> samples);

/// The median distance from the median: how far a typical sample is off, in the samples' unit.
/// 0 for one sample.
[[nodiscard]] double deviation(std::span<const double> samples);

/// The value that a standard normal variable is below with this probability, in (0, 1).
[[nodiscard]] double normal_quantile(double probability);

/// What the mean of some samples, at least two, is off by at most, with a probability of 95%, if
/// they were drawn independently from a normal distribution (Student's).
[[nodiscard]] double confidence_of_mean(std::span<const double> samples);

/// Removes falls that are only noise: neighbours of which the later is lower, by no more than their
/// noises together, are replaced by their mean until no such pair is left (pool adjacent
/// violators). A greater fall is taken for the truth and stays. `noise` has an entry for each
/// value.
[[nodiscard]] std::vector<double> without_noisy_falls(std::span<const double> values,
                                                      std::span<const double> noise);

}  // namespace espalier
