#include "runtime/neighbours.hpp"

#include "core/environment.hpp"
#include "runtime/collective_table.hpp"
#include "runtime/log.hpp"
#include "runtime/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#ifndef ESPALIER_MPI_SMPI
#include <dlfcn.h>
#endif

// A loader takes a program's MPI_Bcast from the first library that has one. Tools stand before the
// MPI library and go on to PMPI_Bcast, or to the next MPI_Bcast; so do we.

namespace espalier::runtime {

#ifdef ESPALIER_MPI_SMPI

// Programs are linked with this library; nothing is loaded before or after it.
std::string passed_by() { return {}; }
bool hears_of_starts() { return true; }

#else

namespace {

/// The file that a function is in; empty where nobody knows.
std::string file_of(const void* function) {
    Dl_info info{};
    if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
    return info.dli_fname;
}

/// Whether two functions are parts of one library, or program.
bool in_one_file(const void* one, const void* other) {
    Dl_info first{};
    Dl_info second{};
    return dladdr(one, &first) != 0 && dladdr(other, &second) != 0 &&
           first.dli_fbase == second.dli_fbase;
}

template <auto Own>
void look_beyond(const char* name) {
    using Function = decltype(Own);
    void* next = dlsym(RTLD_NEXT, name);
    auto* const own = reinterpret_cast<void*>(Own);
    // The library's MPI_ and PMPI_ are one function under two names.
    if (next == nullptr || next == own || in_one_file(next, own)) return;
    Beyond<Own>::answers.store(reinterpret_cast<Function>(next), std::memory_order_relaxed);
}

#define ESPALIER_LOOK_BEYOND(n, name, lower, upper) look_beyond<ESPALIER_OWN(name)>(#name);

/// Runs when this library is loaded; tools that are loaded after it are there by then.
[[gnu::constructor]] void look_beyond_us() {
    look_beyond<PMPI_Init>("MPI_Init");
    look_beyond<PMPI_Init_thread>("MPI_Init_thread");
    look_beyond<PMPI_Cart_create>("MPI_Cart_create");
    look_beyond<PMPI_Graph_create>("MPI_Graph_create");
    look_beyond<PMPI_Dist_graph_create>("MPI_Dist_graph_create");
    look_beyond<PMPI_Dist_graph_create_adjacent>("MPI_Dist_graph_create_adjacent");
    ESPALIER_PLANNED_CALLS(ESPALIER_LOOK_BEYOND)
    ESPALIER_NONBLOCKING_CALLS(ESPALIER_LOOK_BEYOND)
    ESPALIER_PERSISTENT_CALLS(ESPALIER_LOOK_BEYOND)
    ESPALIER_LARGE_CALLS(ESPALIER_LOOK_BEYOND)
    ESPALIER_LARGE_NONBLOCKING_CALLS(ESPALIER_LOOK_BEYOND)
    ESPALIER_LARGE_PERSISTENT_CALLS(ESPALIER_LOOK_BEYOND)
    look_beyond<PMPI_Start>("MPI_Start");
    look_beyond<PMPI_Startall>("MPI_Startall");
    look_beyond<PMPI_Request_free>("MPI_Request_free");
    look_beyond<PMPI_Wait>("MPI_Wait");
    look_beyond<PMPI_Test>("MPI_Test");
    look_beyond<PMPI_Waitany>("MPI_Waitany");
    look_beyond<PMPI_Testany>("MPI_Testany");
    look_beyond<PMPI_Waitall>("MPI_Waitall");
    look_beyond<PMPI_Testall>("MPI_Testall");
    look_beyond<PMPI_Waitsome>("MPI_Waitsome");
    look_beyond<PMPI_Testsome>("MPI_Testsome");
}

#define ESPALIER_QUOTED(n, name, lower, upper) #name,
constexpr std::array planned_calls = {ESPALIER_PLANNED_CALLS(ESPALIER_QUOTED)};

/// Planned calls that a program finds elsewhere first.
struct Elsewhere {
    std::string first;
    std::string file;
    std::size_t others = 0;
};

/// Leaves out what the program finds in the MPI library where `only_tools`.
Elsewhere find_elsewhere(bool only_tools) {
    Elsewhere elsewhere;
    auto* const ours = reinterpret_cast<void*>(&look_beyond_us);
    auto* const library = reinterpret_cast<void*>(PMPI_Bcast);
    for (const char* name : planned_calls) {
        const void* found = dlsym(RTLD_DEFAULT, name);
        if (found == nullptr || in_one_file(found, ours)) continue;
        if (only_tools && in_one_file(found, library)) continue;
        if (!elsewhere.first.empty()) {
            ++elsewhere.others;
            continue;
        }
        elsewhere.first = name;
        elsewhere.file = file_of(found);
    }
    return elsewhere;
}

[[nodiscard]] std::string in_words(const Elsewhere& elsewhere) {
    std::string calls = elsewhere.first;
    if (elsewhere.others > 0) calls += fmt::format(" and {} more", elsewhere.others);
    return fmt::format("{} found in {}, which is loaded before this library",
                       calls + (elsewhere.others > 0 ? " are" : " is"), elsewhere.file);
}

/// Whether this is the first rank of its job, according to the launcher's variables; MPI is already
/// finalised when this is asked.
bool is_first_of_job() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
        if (const auto rank = environment(name)) return *rank == "0";
    return true;
}

/// A program that has used MPI, and no call of it came here: nobody else could say so.
[[gnu::destructor]] void say_if_no_call_came() {
    int used = 0;
    PMPI_Initialized(&used);
    if (used == 0 || Process::has_begun() || !is_first_of_job()) return;
    const ReadSettings read = read_settings(environment);
    if (!read.settings.on) return;
    const Elsewhere elsewhere = find_elsewhere(false);
    if (elsewhere.first.empty()) return;
    Log(read.settings.log).warn(in_words(elsewhere) + ": no collective was planned");
}

}  // namespace

bool hears_of_starts() {
    auto* const ours = reinterpret_cast<void*>(&look_beyond_us);
    return std::ranges::all_of(std::array{"MPI_Start", "MPI_Startall", "MPI_Request_free"},
                               [&](const char* name) {
                                   const void* found = dlsym(RTLD_DEFAULT, name);
                                   return found == nullptr || in_one_file(found, ours);
                               });
}

std::string passed_by() {
    const Elsewhere elsewhere = find_elsewhere(true);
    if (elsewhere.first.empty()) return {};
    return in_words(elsewhere) + ": what it hands to PMPI_ is not planned";
}

#endif

}  // namespace espalier::runtime
