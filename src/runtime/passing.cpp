#include "runtime/passing.hpp"

#include "runtime/collective_table.hpp"
#include "runtime/process.hpp"

// Collectives that are never planned: they go to MPI as they come.

namespace espalier::runtime {

namespace {

template <auto Own, typename... Arguments>
int pass(const char* name, Arguments... arguments) {
    note_passed(name);
    return native_if_any<Own>(name, arguments...);
}

}  // namespace

void note_passed(const char* name) {
    Process* process = Process::current();
    if (process != nullptr && process->records()) process->record_passed(name);
}

}  // namespace espalier::runtime

#define ESPALIER_PASS(n, name, lower, upper)                                          \
    extern "C" int name(ESPALIER_TYPED(n, ESPALIER_OWN(name))) {                      \
        return espalier::runtime::pass<ESPALIER_OWN(name)>(#name, ESPALIER_NAMED(n)); \
    }

ESPALIER_CALLS_LEFT_TO_MPI(ESPALIER_PASS)
