// How a Measurement goes on where an earlier one stopped.

#include "core/wire.hpp"
#include "measure/measurement.hpp"
#include "measure/method/notes.hpp"

#include <string>
#include <utility>

namespace espalier::measure {

namespace {

/// How many measurements may go on from each other.
constexpr std::size_t most_times = 5;

}  // namespace

/// Takes over what an earlier measurement found, if it was of these hosts.
bool Measurement::recall() {
    WireWriter to;
    if (is_conductor()) {
        earlier_ = unpack_notes(options_.earlier, names_of(findings_.hosts));
        to(earlier_.has_value());
        if (earlier_) {
            Findings& found = earlier_->found;
            findings_.latencies = std::move(found.latencies);
            findings_.asymmetry = std::move(found.asymmetry);
            findings_.clusters = std::move(found.clusters);
            findings_.surveys = std::move(found.surveys);
            findings_.eager = found.eager;
            findings_.message_time = found.message_time;
            noisy_ = found.noisy;
        }
    }
    const std::string told = channel_.broadcast(to.bytes());
    return WireReader(told).take<bool>();
}

/// Of all measurements that went on from each other.
Seconds Measurement::taken() const {
    return Seconds(elapsed() + (earlier_ ? earlier_->found.taken.value : 0));
}

/// What streams tell of costs is left out: it is found again from what they got.
void Measurement::write_notes(const SharingPlan& plan) {
    const std::size_t times = earlier_ ? earlier_->times + 1 : 1;
    if (plan.complete() || times >= most_times) return;
    findings_.noisy = noisy_;
    findings_.taken = taken();
    notes_ = pack_notes(findings_, plan.played(), times);
}

}  // namespace espalier::measure
