#pragma once

#include "runtime/logic/found_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace espalier::runtime {

// What links do to messages that share them, and simulation, in which they share evenly and nothing
// is lost, does not see.

/// Messages of at most so many bytes, about what TCP sends at once on a connection that was idle,
/// queue for a link in the order in which they come, so that it matters which is sent first.
inline constexpr std::uint64_t most_queued = 16'384;
/// The algorithm that heeds that.
inline constexpr std::string_view for_queues = "far-first";
/// Longer ones, one of each pair, or from each to one, at once, overflow the queue of such a link:
/// some are lost, and those that have to be sent again are the last. So they travel together, as
/// few messages.
inline constexpr std::string_view for_crowds = "levels";
/// One host that sends long ones near and far at the same time keeps its card busy with the near
/// ones, whose answers come sooner, while the link to the far ones idles. So they leave one by
/// one, near and far ones by turns, and the far ones by way of other hosts, which send them at
/// once.
inline constexpr std::string_view for_one_sender = "helpers";
inline constexpr std::size_t ports_of_one_sender = 1;
/// Whether that matters to a scatter that is predicted to take so long: whether the near ones keep
/// the root's card busy for a good part of it.
[[nodiscard]] bool near_ones_hold_up_far_ones(const plan::Job& job,
                                              const plan::CollectiveRequest& scatter,
                                              Seconds predicted);

/// Puts what suits shared links before the other plans, of which it keeps at most so many, if it is
/// predicted to take little longer than the best of them; else, where several are tried and it
/// takes at most `within` times as long, after them; else leaves them as they are.
void heed_links(std::vector<FoundPlan>& found, FoundPlan suited, const plan::Shortlist& shortlist,
                double within, std::size_t most_others);

}  // namespace espalier::runtime
