#include "testbed/changer.hpp"

#include "core/text.hpp"
#include "testbed/differences.hpp"
#include "testbed/kernel_changes.hpp"
#include "testbed/kernel_network.hpp"
#include "testbed/shaper.hpp"
#include "testbed/tun.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace espalier::testbed {

namespace {

Nanoseconds in_nanoseconds(Seconds time) { return static_cast<Nanoseconds>(time.value * 1e9); }

}  // namespace

Changer::Changer(const Topology& described, Emulator& emulator,
                 const std::vector<HostProcess>& hosts, int router)
    : described_(described), emulator_(emulator), hosts_(hosts), router_(router) {}

void Changer::require_possible(const Change& change) const {
    if (router_ >= 0) require_kernel_can(change, described_);
}

void Changer::require_possible(const Trace& trace) const {
    for (const Trace::Step& step : trace.steps) require_possible(step.change);
}

void Changer::start(Trace trace, Nanoseconds now) {
    require_possible(trace);
    trace_ = std::move(trace);
    began_ = now;
    step_ = 0;
    play(now);
}

Nanoseconds Changer::next() const {
    if (!trace_ || step_ == trace_->steps.size()) return never;
    return began_ + in_nanoseconds(trace_->steps[step_].at);
}

void Changer::play(Nanoseconds now) {
    std::vector<Change> due;
    while (next() <= now) {
        due.push_back(trace_->steps[step_++].change);
        if (step_ < trace_->steps.size() || !trace_->repeat) continue;
        step_ = 0;
        began_ += in_nanoseconds(*trace_->repeat);
    }
    if (!due.empty()) apply_all(due, now);
}

std::string Changer::answer(const std::vector<std::string>& words, Nanoseconds now) {
    if (words.empty()) {
        std::string text = differences(described_, emulator_.topology());
        if (next() != never)
            text += fmt::format("a trace plays, and goes on in {}\n",
                                format_seconds(Seconds(static_cast<double>(next() - now) * 1e-9)));
        return text.empty() ? "all is as described\n" : text;
    }
    if (words[0] == "--trace") {
        start(parse_trace(words.at(2), words.at(1), described_), now);
        return "";
    }
    std::vector<Change> changes;
    if (words[0] == "--reset")
        changes.push_back(reset_of(described_));
    else
        changes = parse_changes(words, described_);
    for (const Change& change : changes) require_possible(change);
    apply_all(changes, now);
    if (words[0] == "--reset") trace_.reset();
    return "";
}

void Changer::apply_all(const std::vector<Change>& changes, Nanoseconds now) {
    if (router_ >= 0) {
        Topology after = emulator_.topology();
        for (const Change& change : changes) apply(change, described_, after);
        std::vector<pid_t> processes;
        for (const HostProcess& host : hosts_) processes.push_back(host.pid);
        run_kernel_commands(kernel_changes(described_, emulator_.topology(), after), router_,
                            processes);
    }
    emulator_.change(changes, described_, now);
    if (router_ < 0) shape_cards(changes);
}

void Changer::shape_cards(const std::vector<Change>& changes) const {
    std::set<std::uint32_t> changed;
    for (const Change& change : changes) changed.insert(change.queues.begin(), change.queues.end());
    for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
        const auto card = emulator_.card(host);
        if (card && changed.contains(*card))
            (void)shape_device(hosts_[host].shaper.get(), device_name,
                               left_of(emulator_.topology().queues[*card]));
    }
}

}  // namespace espalier::testbed
