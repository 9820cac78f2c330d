#pragma once

#include "plan/bounds/groups.hpp"
#include "plan/bounds/prices.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace espalier::plan::bounds {

/// When messages on a link may be under way: none starts before `open`, and each has left its
/// sender `shut` before the end of all.
struct Window {
    double open = 0;
    double shut = 0;
};

/// Links between groups, over which so many bytes have to go. Ports of the senders, ports of the
/// receivers and shared capacities serve them, each while the window of any of its links is open.
/// Each byte takes some of their time, so that at any prices of that at which no byte costs less
/// than 1, all that they have is worth at least the bytes.
class Crossing {
public:
    using Pair = std::pair<std::size_t, std::size_t>;

    /// Where the meter does not last for the least prices, good ones have to do.
    Crossing(const Groups& groups, std::vector<Pair> links, Meter& meter);

    [[nodiscard]] const std::vector<Pair>& links() const { return links_; }
    /// Bytes a second with all windows open; 0: there may be any number.
    [[nodiscard]] double rate() const { return rate_; }
    /// Seconds before which they can't have done `bytes`, with a window for each of links(). Where
    /// that is not more than `known`, anything that is not more.
    [[nodiscard]] double time(std::span<const Window> windows, double bytes, double known,
                              Meter& meter) const;

private:
    /// Something that serves links.
    struct Server {
        std::vector<std::size_t> links;
        double places = 1;       ///< how many messages at once
        double startup = 0;      ///< seconds that are lost to the first message
        bool receiving = false;  ///< it serves a message a latency after that started
        bool is_limit = false;   ///< a shared capacity, not ports
    };

    void add_ports(bool receiving);
    void add_limits();
    [[nodiscard]] double seconds(const Server& server, std::span<const Window> windows,
                                 double end) const;
    [[nodiscard]] std::vector<double> prices_of_side(bool receiving) const;
    [[nodiscard]] bool can_price(Meter& meter) const;
    [[nodiscard]] double use(std::size_t link, std::size_t server) const;
    [[nodiscard]] double rate(const std::vector<double>& prices) const;
    [[nodiscard]] std::vector<double> supply(std::span<const Window> windows, double end) const;
    [[nodiscard]] bool is_easy(std::vector<double> left, double bytes) const;
    [[nodiscard]] double bytes_by(const std::vector<double>& prices,
                                  std::span<const Window> windows, double end) const;
    [[nodiscard]] double time(const std::vector<double>& prices, std::span<const Window> windows,
                              double bytes) const;

    const Groups& groups_;
    std::vector<Pair> links_;
    std::vector<Server> servers_;
    std::vector<std::vector<Use>> uses_;       ///< of servers' seconds, by a byte on each link
    std::vector<std::vector<double>> prices_;  ///< that are good with all windows open
    double rate_ = 0;
};

}  // namespace espalier::plan::bounds
