#pragma once

#include "schedule/timeline.hpp"

#include <cstddef>
#include <string>

namespace espalier::report {

/// The facts about a plan that are printed before its transfers.
struct Headline {
    schedule::Kind kind = schedule::Kind::broadcast;
    Bytes bytes;  ///< 0: not said
    std::string root;
    std::string algorithm;
    std::size_t nodes = 1;
    schedule::Ports ports;
    Seconds makespan;
    Seconds lower_bound;  ///< 0: none is known
    schedule::BoundScope scope = schedule::BoundScope::whole_message;
    bool optimal = false;
    Seconds any_bound;  ///< 0: none is known beside lower_bound
    /// The unit of time of a network that has its own, with unit messages; empty: seconds.
    std::string time_unit;
};
[[nodiscard]] Headline headline_of(const schedule::Plan& plan, const std::string& time_unit = "");

/// `47.6 us`; in a unit of the network's own, `47.6123 min`.
[[nodiscard]] std::string format_time(Seconds time, const std::string& unit);
/// `Broadcast of 1 MiB from orsay, by ecef`.
[[nodiscard]] std::string title_of(const Headline& headline);
/// `makespan 3.41 s, at most 1.2% over the best that sends messages whole`.
[[nodiscard]] std::string verdict_of(const Headline& headline);
/// `none that sends messages whole takes less than 3.37 s, none of any kind takes less than 2.9 s`;
/// empty where no bound is known.
[[nodiscard]] std::string bounds_of(const Headline& headline);
/// `6 nodes, full-duplex`.
[[nodiscard]] std::string size_of(const Headline& headline);
/// The three of them in a line.
[[nodiscard]] std::string subtitle_of(const Headline& headline);
/// `at most 1.2% over the best possible`, `proven optimal where messages are sent whole`: rounded
/// up, so that it holds. Empty where nothing is known.
[[nodiscard]] std::string distance_from_best(const Headline& headline);
/// `at most 1.2%`: how far a time is over another, rounded up. `least` > 0.
[[nodiscard]] std::string percent_over(Seconds time, Seconds least);
/// A part of one: `12.3%`; one that is off 0 by a rounding has no sign, and one that is very large
/// an exponent.
[[nodiscard]] std::string percent_of(double part);
/// `p90 4.1 s, at most 12% over the best possible` and what that means: a line for people, ended by
/// a line end.
[[nodiscard]] std::string explain_robust(const schedule::Robust& robust);
/// A transfer or local part with its times, in lines.
[[nodiscard]] std::string describe_transfer(const schedule::Plan& plan, std::size_t transfer,
                                            const std::string& time_unit = "");
[[nodiscard]] std::string describe_local(const schedule::Plan& plan, std::size_t part,
                                         const std::string& time_unit = "");

}  // namespace espalier::report
