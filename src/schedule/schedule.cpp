#include "schedule/schedule.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <charconv>

namespace espalier::schedule {

std::string to_string(Ports ports) {
    if (ports.duplex == Ports::Duplex::half) return "half-duplex";
    return ports.count == 1 ? "full-duplex" : fmt::format("{}-port", ports.count);
}

std::optional<Ports> parse_ports(std::string_view text) {
    if (text == "half-duplex") return Ports{Ports::Duplex::half, 1};
    if (text == "full-duplex") return Ports{Ports::Duplex::full, 1};
    if (!text.ends_with("-port")) return std::nullopt;
    text.remove_suffix(5);
    std::size_t count = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (fault != std::errc{} || rest != text.data() + text.size() || count == 0)
        return std::nullopt;
    return Ports{Ports::Duplex::full, count};
}

Bytes Schedule::bytes_of(const Transfer& transfer) const {
    Bytes total(0);
    for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c)
        total += chunks[c].bytes;
    return total;
}

std::size_t Group::ranks() const {
    if (members.empty()) return 1;
    std::size_t total = 0;
    for (const Group& member : members) total += member.ranks();
    return total;
}

}  // namespace espalier::schedule
