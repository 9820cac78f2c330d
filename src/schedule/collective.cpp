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

Collective exchange_of_sizes(std::shared_ptr<const Matrix<Bytes>> sizes) {
    Collective collective{.kind = Kind::alltoall, .nodes = sizes->rows()};
    bool uniform = sizes->rows() == sizes->columns();
    std::optional<Bytes> first;
    for (std::size_t from = 0; from < sizes->rows(); ++from)
        for (std::size_t to = 0; to < sizes->columns(); ++to) {
            if (from == to) continue;
            const Bytes bytes = (*sizes)(from, to);
            if (!first) first = bytes;
            uniform = uniform && bytes == *first;
            collective.bytes = std::max(collective.bytes, bytes);
        }
    if (!uniform) collective.sizes = std::move(sizes);
    return collective;
}

}  // namespace espalier::schedule
