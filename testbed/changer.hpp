#pragma once

#include "testbed/emulator.hpp"
#include "testbed/host.hpp"
#include "testbed/trace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace espalier::testbed {

/// Changes a network that is up, at once or as a trace has it.
class Changer {
public:
    /// `described` is what the emulator began with; `router` is the kernel's network
    /// (kernel_network.hpp), or -1 where the emulator carries.
    Changer(const Topology& described, Emulator& emulator, const std::vector<HostProcess>& hosts,
            int router);

    /// Throws InputError where the carrier can't do what the trace has.
    void require_possible(const Trace& trace) const;
    /// Now is its time 0; it takes the place of the one that plays.
    void start(Trace trace, Nanoseconds now);
    /// When `play` has something to do; `never` without a trace, or after it.
    [[nodiscard]] Nanoseconds next() const;
    void play(Nanoseconds now);

    /// Does what the words of a client say: changes, or `--trace FILE CONTENT`, `--reset`, or
    /// nothing at all. What then differs from the description, where they are nothing. Throws
    /// InputError, with nothing changed.
    [[nodiscard]] std::string answer(const std::vector<std::string>& words, Nanoseconds now);

private:
    void require_possible(const Change& change) const;
    void apply_all(const std::vector<Change>& changes, Nanoseconds now);
    void shape_cards(const std::vector<Change>& changes) const;

    const Topology& described_;
    Emulator& emulator_;
    const std::vector<HostProcess>& hosts_;
    int router_;
    std::optional<Trace> trace_;
    Nanoseconds began_ = 0;
    std::size_t step_ = 0;  ///< the next one
};

}  // namespace espalier::testbed
