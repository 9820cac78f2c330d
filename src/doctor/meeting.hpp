#pragma once

#include "core/units.hpp"
#include "doctor/facts.hpp"
#include "doctor/frames.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace espalier::doctor {

/// Where the first host takes connections, and what those who come have to know.
struct Invitation {
    std::uint64_t token = 0;
    std::uint16_t port = 0;
    std::vector<std::string> addresses;

    /// One word of digits, dots and slashes, and back; nullopt where it is none.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] static std::optional<Invitation> parse(const std::string& text);
};

/// A host's name and addresses in one word, for whoever can't be reached otherwise, and back.
[[nodiscard]] std::string card_of(const Host& host);
[[nodiscard]] Host host_of_card(const std::string& card);

/// Opens a port on this host, and says how others find it.
struct Meeting {
    Port port;
    Invitation invitation;
};
[[nodiscard]] Meeting open_meeting(const Host& here);

/// Has all who come to a meeting probe the network at the same time, and returns what they saw.
/// One process of each host takes part, of those that come the one with the least rank. `card`
/// returns the card of a rank that has not come, if it left one.
/// `stage` is told what is being done, and which part of the time is over.
[[nodiscard]] Facts hold_meeting(const Meeting& meeting, std::size_t ranks,
                                 const std::function<std::string(std::size_t rank)>& card,
                                 const std::function<void(const char*, double)>& stage);

/// Takes part in a meeting, until it is over or breaks off. False where nobody could be reached.
bool attend_meeting(const Invitation& invitation, std::size_t rank, Host here);

}  // namespace espalier::doctor
