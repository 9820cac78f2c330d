#include "libraries/library.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace espalier::libraries {

namespace {

using schedule::Kind;

constexpr std::array gloo_algorithms{
    Algorithm{Kind::broadcast, "binomial", 0, binomial_tree},
    Algorithm{Kind::allreduce, "ring", 0, ring},
    Algorithm{Kind::allgather, "ring", 0, ring},
    Algorithm{Kind::alltoall, "unbound", 0, at_once},
};

const Algorithm& gloo_usual(const Call& call) {
    return *std::ranges::find(gloo_algorithms, call.kind, &Algorithm::kind);
}

}  // namespace

bool Library::performs(Kind kind) const {
    return std::ranges::find(algorithms, kind, &Algorithm::kind) != algorithms.end();
}

const Algorithm& named(const Library& library, Kind kind, std::string_view name) {
    const auto found = std::ranges::find_if(library.algorithms, [&](const Algorithm& one) {
        return one.kind == kind && one.name == name;
    });
    assert(found != library.algorithms.end());
    return *found;
}

const Library& gloo() {
    static constexpr Library library{"gloo", "Gloo", gloo_algorithms, gloo_usual};
    return library;
}

const Library& find_library(std::string_view name, const std::string& where) {
    for (const Library* library : {&openmpi(), &mpich(), &gloo()})
        if (library->name == name) return *library;
    throw InputError(where, "", fmt::format("'{}' is none of openmpi, mpich, gloo", name));
}

}  // namespace espalier::libraries
