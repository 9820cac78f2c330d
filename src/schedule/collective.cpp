#include "schedule/collective.hpp"

#include <array>

namespace espalier::schedule {

namespace {
constexpr std::array<std::pair<Kind, std::string_view>, 11> names{
    {{Kind::broadcast, "broadcast"},
     {Kind::reduce, "reduce"},
     {Kind::allreduce, "allreduce"},
     {Kind::scatter, "scatter"},
     {Kind::gather, "gather"},
     {Kind::allgather, "allgather"},
     {Kind::reduce_scatter, "reduce-scatter"},
     {Kind::alltoall, "alltoall"},
     {Kind::barrier, "barrier"},
     {Kind::scan, "scan"},
     {Kind::exscan, "exscan"}}};
}

std::string_view name_of(Kind kind) {
    for (const auto& [candidate, name] : names)
        if (candidate == kind) return name;
    return "";
}

std::optional<Kind> find_kind(std::string_view name) {
    for (const auto& [kind, candidate] : names)
        if (candidate == name) return kind;
    return std::nullopt;
}

bool has_root(Kind kind) {
    return kind == Kind::broadcast || kind == Kind::reduce || kind == Kind::scatter ||
           kind == Kind::gather;
}

bool combines(Kind kind) {
    return kind == Kind::reduce || kind == Kind::allreduce || kind == Kind::reduce_scatter ||
           kind == Kind::barrier || is_scan(kind);
}

bool has_blocks(Kind kind) {
    return kind == Kind::scatter || kind == Kind::gather || kind == Kind::allgather ||
           kind == Kind::reduce_scatter;
}

bool is_scan(Kind kind) { return kind == Kind::scan || kind == Kind::exscan; }

}  // namespace espalier::schedule
