#pragma once

#include <atomic>
#include <string>

namespace espalier::runtime {

/// The function that a call is passed on to if it is left to MPI. `Own` is the library's own,
/// `PMPI_Bcast`; if another tool is loaded after this library, the call goes to the tool's
/// `MPI_Bcast`, which passes it on to the library's.
template <auto Own>
struct Beyond;

template <typename... Arguments, int (*Own)(Arguments...)>
struct Beyond<Own> {
    /// Set when this library is loaded, before MPI begins; never after.
    static inline constinit std::atomic<int (*)(Arguments...)> answers{Own};
};

/// `native<PMPI_Bcast>(…)`: what MPI does without us. It costs what PMPI_Bcast does: both go
/// through a pointer that the loader or we have set.
template <auto Own, typename... Arguments>
int native(Arguments... arguments) {
    return Beyond<Own>::answers.load(std::memory_order_relaxed)(arguments...);
}

/// Whether this library sees when a program starts and frees persistent requests: tools that are
/// loaded before it may keep that from it.
[[nodiscard]] bool hears_of_starts();

/// Names a tool that is loaded before this library and has collectives of its own, and says which
/// collectives, in one line; empty if there is none. What such a tool hands to PMPI_ passes us by.
/// If that is every call of a program, the library says so when the program ends.
[[nodiscard]] std::string passed_by();

}  // namespace espalier::runtime
