#pragma once

#include "doctor/diagnosis.hpp"
#include "doctor/facts.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::doctor {

/// `8 hosts, 1 network (tun0): 2 faults`.
[[nodiscard]] std::string verdict_of(const Facts& facts, const std::vector<Finding>& findings);

/// What was seen of a host on a network, over all its ways there.
struct HostRow {
    std::size_t host = 0;               ///< index into Facts::hosts
    std::array<std::string, 10> cells;  ///< under the titles of host_columns
};
/// Of which the first three are words.
inline constexpr std::array<std::string_view, 10> host_columns{
    "host",  "card",     "address",  "round trip", "jitter",
    "sends", "receives", "lost out", "in",         "work"};
/// Network by network.
[[nodiscard]] std::vector<HostRow> host_rows(const Facts& facts);

/// The causes that were found of a host, each once, faults first.
[[nodiscard]] std::vector<std::string> causes_of(const std::string& host,
                                                 const std::vector<Finding>& findings);

/// What was found, for people: a line of what there is, each finding with its evidence and its
/// remedy, and a table of the hosts (of many those that something was found about). In the columns
/// of the terminal that the descriptor is.
[[nodiscard]] std::string to_text(const Facts& facts, const std::vector<Finding>& findings,
                                  int descriptor);

/// What a document `espalier-doctor` says was seen. Throws InputError.
[[nodiscard]] Facts read_document(const JsonValue& document);
/// Such a document: what was seen, and what was found.
[[nodiscard]] Json to_json(const Facts& facts, const std::vector<Finding>& findings);

/// Judges what was seen and says so on standard output: as text, or, with `json`, as the document,
/// which goes to the file `output`, too, unless that is empty. `-` is standard output, and has no
/// text beside it. Throws InputError.
void deliver(const Facts& facts, const std::string& output, bool json);

}  // namespace espalier::doctor
