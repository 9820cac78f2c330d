#pragma once

#include "core/infinity.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::simulate {

/// What a connection's window lets through, message by message in the order of their starts.
class Connection {
public:
    /// It begins with a window of so many bytes, and never needs one of more than `full` bytes.
    Connection(const Window& window, double begins_with, double full)
        : window_(window), size_(begins_with), full_(full) {}

    /// When the last byte of a message that starts at `start` has left, and takes `gap` where
    /// nothing holds it back. Bytes for which the window has no room go a round trip after those
    /// that filled it, and what comes after a message that was held back goes after it.
    double leave(double start, double gap, double bytes);
    /// Says that a message was slowed down by others, and left at `time`.
    void left(double time);

    [[nodiscard]] double size() const { return size_; }

private:
    /// What left in a row, and when its first byte is acknowledged: those that follow by it do so
    /// at no higher pace.
    struct Piece {
        double answered = 0;
        double bytes = 0;
    };
    void acknowledge(double now);

    Window window_;
    double size_;  ///< of the window, in bytes
    double full_;
    std::vector<Piece> pieces_;
    std::size_t acknowledged_ = 0;  ///< how many of the pieces are
    double in_flight_ = 0;          ///< bytes that are not
    double most_ = 0;               ///< the most there were since the window was last halved
    double free_ = 0;               ///< when what was held back, and what came after it, has left
    double last_ = 0;               ///< when the last byte left
};

/// The window with which a connection begins a call, if in each of a row of calls it carries so
/// many bytes, never needs more than `full` of them in flight, and is idle for `idle` restart times
/// between two.
[[nodiscard]] double first_window(const Window& window, double bytes, double full, int idle);
/// How many restart times there are in an idle time.
[[nodiscard]] int restarts(const Window& window, double idle);

/// The connections of a schedule whose windows may hold messages back; receives have to be serial.
///
/// Programs call again and again, so the times of a schedule are those of one call of a row of
/// them, each of which begins as the one before ends. A connection that carries B bytes in each,
/// and is then idle for k times its restart, begins each with a window of B / (2^k - 1) bytes: it
/// grows by what it carries and halves k times. k depends on how long a call takes, and that on k.
/// What is simulated is the least k of each connection that agrees with itself: first none was
/// idle, then each as long as that call says, and so on; k only grows, windows only get smaller.
///
/// A window holds back a message, but not its sender, which has handed it over, nor its receiver,
/// which takes in others meanwhile. So ports are free when they would be without windows.
class Windows {
public:
    Windows(const schedule::Schedule& schedule, const Fabric& fabric);

    /// Whether any window may hold a message back.
    [[nodiscard]] bool matter() const { return !connections_.empty(); }
    /// The least idle time after which such a window halves; infinite: none does.
    [[nodiscard]] Seconds least_restart() const { return least_restart_; }
    /// As Connection; of messages of connections that never hold one back likewise.
    double leave(std::size_t transfer, double start, Seconds gap, Bytes bytes);
    void left(std::size_t transfer, double time);

    /// Makes windows such as they are after an idle time in a row of calls that take so long, at
    /// the beginning of the next call. Returns false if they were so in this one.
    bool narrow(Seconds makespan);

private:
    struct Use {
        Window window;
        double bytes = 0;  ///< in a call
        double pace = 0;   ///< the highest, in bytes a second
        int idle = 0;      ///< restart times between calls
        double first = -1;
        double last = 0;

        [[nodiscard]] double full() const {
            return pace * (window.round_trip + window.queue).value;
        }
        [[nodiscard]] double begins_with() const {
            return first_window(window, bytes, full(), idle);
        }
    };
    void begin();

    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> of_;  ///< by transfer: the number of its connection
    std::vector<Use> uses_;
    Seconds least_restart_{infinity};
    std::vector<Connection> connections_;
};

}  // namespace espalier::simulate
