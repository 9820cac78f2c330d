#pragma once

#include "runtime/neighbours.hpp"

#include <cstdio>
#include <cstdlib>

namespace espalier::runtime {

/// Counts a call that is MPI's own whatever the network is, where a report is written; `name` is
/// what a C program calls it.
void note_passed(const char* name);

/// Ends the program, with a line, where this version of the library has no native<Own>. `name` is
/// what a C program calls it.
template <auto Own>
void demand(const char* name) {
    if (Beyond<Own>::answers.load(std::memory_order_relaxed) != nullptr) return;
    std::fprintf(stderr, "espalier: the MPI library has no %s\n", name);
    std::abort();
}

}  // namespace espalier::runtime
