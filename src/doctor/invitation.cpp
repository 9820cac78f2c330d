#include "doctor/addresses.hpp"
#include "doctor/meeting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>

#include <charconv>
#include <random>
#include <sstream>

namespace espalier::doctor {

namespace {

std::vector<std::string> parts_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> parts;
    for (std::string part; std::getline(stream, part, '/');) parts.push_back(part);
    return parts;
}

template <typename Number>
bool read_number(const std::string& text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string Invitation::text() const {
    return fmt::format("{}/{}/{}", token, port, fmt::join(addresses, "/"));
}

std::optional<Invitation> Invitation::parse(const std::string& text) {
    const std::vector<std::string> parts = parts_of(text);
    Invitation found;
    if (parts.size() < 2 || !read_number(parts[0], found.token) ||
        !read_number(parts[1], found.port))
        return std::nullopt;
    found.addresses.assign(parts.begin() + 2, parts.end());
    return found;
}

std::string card_of(const Host& host) {
    return fmt::format("{}/{}", host.name, fmt::join(addresses_of(host), "/"));
}

Host host_of_card(const std::string& card) {
    const std::vector<std::string> parts = parts_of(card);
    Host host;
    host.present = false;
    host.name = parts.empty() ? "?" : parts[0];
    Interface unknown;
    unknown.name = "?";
    for (std::size_t i = 1; i < parts.size(); ++i) unknown.addresses.push_back({parts[i], 32});
    host.interfaces.push_back(unknown);
    return host;
}

Meeting open_meeting(const Host& here) {
    Meeting meeting;
    meeting.port = open_port(SOCK_STREAM);
    std::random_device random;
    meeting.invitation.token = std::uint64_t{random()} << 32U | random();
    meeting.invitation.port = meeting.port.number;
    // A publishing service may take no longer text than 256 letters.
    constexpr std::size_t most_addresses = 12;
    meeting.invitation.addresses = addresses_of(here);
    if (meeting.invitation.addresses.size() > most_addresses)
        meeting.invitation.addresses.resize(most_addresses);
    // Who is on this very host always gets there.
    meeting.invitation.addresses.emplace_back("127.0.0.1");
    return meeting;
}

}  // namespace espalier::doctor
