#pragma once

#include <string>

namespace espalier::apps {

/// Leaves a word with the launcher, under a name, for the other processes of this job; false where
/// the launcher keeps none. `word` has no blanks. No message between processes is needed, so this
/// works where the network does not.
[[nodiscard]] bool leave_word(const std::string& name, const std::string& word);

/// What was left under a name, within some time; empty where nothing was.
[[nodiscard]] std::string find_word(const std::string& name, double patience_s);

/// Gives what the first process says to all of them, by MPI's own messages.
[[nodiscard]] std::string tell_all(const std::string& word);

}  // namespace espalier::apps
