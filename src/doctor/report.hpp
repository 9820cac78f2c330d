#pragma once

#include "doctor/diagnosis.hpp"
#include "doctor/facts.hpp"

#include <cstddef>
#include <string>

namespace espalier::doctor {

/// What was found, for people: a line of what there is, each finding with its evidence and its
/// remedy, and a table of the hosts (of many those that something was found about).
[[nodiscard]] std::string to_text(const Facts& facts, const std::vector<Finding>& findings,
                                  std::size_t columns);

/// A document `espalier-doctor`: what was seen, and what was found.
[[nodiscard]] Json to_json(const Facts& facts, const std::vector<Finding>& findings);

/// Judges what was seen and says so on standard output: as text in so many columns, or, with
/// `json`, as the document, which goes to the file `output`, too, unless that is empty. `-` is
/// standard output, and has no text beside it. Throws InputError.
void deliver(const Facts& facts, const std::string& output, bool json, std::size_t columns);

}  // namespace espalier::doctor
