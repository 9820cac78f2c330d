#pragma once

#include "core/units.hpp"
#include "doctor/facts.hpp"
#include "doctor/probing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the participants of a meeting write to one another.
namespace espalier::doctor {

/// A rank's first words.
struct Hello {
    std::uint64_t token = 0;
    std::size_t rank = 0;
    std::uint16_t datagrams = 0;    ///< the port that takes them
    std::uint16_t connections = 0;  ///< likewise
    Host host;
};
[[nodiscard]] std::string to_text(const Hello& hello);
/// nullopt where the text is none.
[[nodiscard]] std::optional<Hello> hello_from(const std::string& text);

/// Where to probe: an address with its two ports.
struct Goal {
    std::size_t host = 0;
    std::size_t network = 0;
    std::string address;
    std::uint16_t datagrams = 0;
    std::uint16_t connections = 0;
    unsigned packet = 0;
};
/// What each host is to do: first to look up names, and then, perhaps several times, to probe.
struct Task {
    std::size_t self = 0;
    std::size_t networks = 0;
    std::vector<std::string> names;  ///< of all hosts
    std::vector<Goal> goals;
    Seconds duration;
    unsigned small = 0;
    unsigned trains = 0;
};
[[nodiscard]] std::string to_text(const Task& task);
/// Throws std::exception where the text is none.
[[nodiscard]] Task task_from(const std::string& text);

/// What a host's names stand for.
[[nodiscard]] std::string to_text(const std::map<std::string, std::vector<std::string>>& names);
[[nodiscard]] std::map<std::string, std::vector<std::string>> names_from(const std::string& text);

[[nodiscard]] std::string to_text(const Probed& probed);
[[nodiscard]] Probed probed_from(const std::string& text, std::size_t hosts, std::size_t networks);

}  // namespace espalier::doctor
