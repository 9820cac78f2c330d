#pragma once

#include "runtime/neighbours.hpp"

#include <cstdio>
#include <cstdlib>

namespace espalier::runtime {

/// Counts a call that is MPI's own whatever the network is, where a report is written; `name` is
/// what a C program calls it.
void note_passed(const char* name);

/// native<Own>, which this version of the library may lack; then the program ends with a line.
/// `name` is what a C program calls it.
template <auto Own, typename... Arguments>
int native_if_any(const char* name, Arguments... arguments) {
    if (Beyond<Own>::answers.load(std::memory_order_relaxed) == nullptr) {
        std::fprintf(stderr, "espalier: the MPI library has no %s\n", name);
        std::abort();
    }
    return native<Own>(arguments...);
}

}  // namespace espalier::runtime
