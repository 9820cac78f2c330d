#include "schedule/schedule.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace espalier::schedule {

std::string to_string(Ports ports) {
    const bool half = ports.duplex == Ports::Duplex::half;
    if (ports.count == 1) return half ? "half-duplex" : "full-duplex";
    return fmt::format("{}{}-port", half ? "half-duplex-" : "", ports.count);
}

std::optional<Ports> parse_ports(std::string_view text) {
    if (text == "full-duplex") return Ports{Ports::Duplex::full, 1};
    constexpr std::string_view half_duplex = "half-duplex";
    const bool half = text.starts_with(half_duplex);
    if (half) {
        text.remove_prefix(half_duplex.size());
        if (text.empty()) return Ports{Ports::Duplex::half, 1};
        if (!text.starts_with('-')) return std::nullopt;
        text.remove_prefix(1);
    }
    if (!text.ends_with("-port")) return std::nullopt;
    text.remove_suffix(5);
    std::size_t count = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (fault != std::errc{} || rest != text.data() + text.size() || count == 0)
        return std::nullopt;
    return Ports{half ? Ports::Duplex::half : Ports::Duplex::full, count};
}

namespace {

constexpr Bytes unlimited(std::numeric_limits<std::uint64_t>::max());
constexpr std::string_view no_limit = "unlimited";

}  // namespace

std::string to_string(Reception reception) {
    switch (reception.mode) {
        case Reception::Mode::serial:
            return "serial";
        case Reception::Mode::interleaved:
            return fmt::format("interleaved:{}", reception.overhead);
        case Reception::Mode::buffered:
            if (reception.buffer == unlimited) return fmt::format("buffered:{}", no_limit);
            return fmt::format("buffered:{}", reception.buffer.value);
    }
    return {};
}

std::optional<Reception> parse_reception(std::string_view text) {
    using Mode = Reception::Mode;
    if (text == "serial") return Reception{};
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view mode = text.substr(0, colon);
    const std::string value(text.substr(std::min(colon + 1, text.size())));
    try {
        if (mode == "buffered")
            return Reception{Mode::buffered, 0,
                             value == no_limit ? unlimited : parse_bytes(value, "")};
        if (mode != "interleaved") return std::nullopt;
        const double overhead = parse_number(value, "");
        if (overhead < 0) return std::nullopt;
        return Reception{Mode::interleaved, overhead, {}};
    } catch (const InputError&) {
        return std::nullopt;
    }
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
