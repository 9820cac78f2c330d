// How a Measurement goes on where an earlier one stopped.

#include "core/wire.hpp"
#include "measure/measurement.hpp"
#include "measure/method/notes.hpp"

#include <string>
#include <vector>

namespace espalier::measure {

namespace {

/// How many measurements may go on from each other.
constexpr std::size_t most_times = 5;

std::vector<std::string> names_of(const std::vector<Host>& hosts) {
    std::vector<std::string> names;
    for (const Host& host : hosts) names.push_back(host.name);
    return names;
}

}  // namespace

/// Takes over what an earlier measurement found, if it was of these hosts.
bool Measurement::recall() {
    WireWriter to;
    if (is_conductor()) {
        earlier_ = unpack_notes(options_.earlier, names_of(findings_.hosts));
        to(earlier_.has_value());
        if (earlier_) {
            findings_.latencies = earlier_->latencies;
            findings_.clusters = earlier_->clusters;
            findings_.surveys = earlier_->surveys;
            findings_.eager = earlier_->eager;
            findings_.message_time = Seconds(earlier_->message_time);
            noisy_ = earlier_->noisy;
        }
    }
    const std::string told = channel_.broadcast(to.bytes());
    return WireReader(told).take<bool>();
}

/// What streams tell of costs is left out: it is found again from what they got.
void Measurement::take_notes(const SharingPlan& plan) {
    const std::size_t times = earlier_ ? earlier_->times + 1 : 1;
    if (plan.complete() || times >= most_times) return;
    Notes notes;
    notes.hosts = names_of(findings_.hosts);
    notes.latencies = findings_.latencies;
    notes.clusters = findings_.clusters;
    notes.surveys = findings_.surveys;
    notes.eager = findings_.eager;
    notes.message_time = findings_.message_time.value;
    notes.noisy = noisy_;
    notes.rounds = plan.played();
    notes.taken = elapsed() + (earlier_ ? earlier_->taken : 0);
    notes.times = times;
    notes_ = pack(notes);
}

}  // namespace espalier::measure
