#include "plan/bounds/demand.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace espalier::plan::bounds {

namespace {

using schedule::Kind;

double as_bytes(Bytes bytes) { return static_cast<double>(bytes.value); }

}  // namespace

Demand::Demand(const schedule::Collective& collective)
    : collective_(collective),
      joins_sources_(collective.kind != Kind::alltoall && collective.kind != Kind::allgather),
      joins_targets_(collective.kind != Kind::alltoall && collective.kind != Kind::scatter),
      out_(collective.nodes, 0),
      in_(collective.nodes, 0) {
    assert(collective.kind != Kind::reduce && collective.kind != Kind::gather &&
           collective.kind != Kind::reduce_scatter);
    double all = 0;
    for (std::size_t from = 0; from < collective.nodes; ++from) {
        for (std::size_t to = 0; to < collective.nodes; ++to) {
            const double needed = bytes(from, to);
            out_[from] = joins_targets_ ? std::max(out_[from], needed) : out_[from] + needed;
            in_[to] = joins_sources_ ? std::max(in_[to], needed) : in_[to] + needed;
        }
        all = joins_sources_ ? std::max(all, out_[from]) : all + out_[from];
    }
    const auto most = static_cast<double>(std::numeric_limits<std::int64_t>::max());
    all_ = Bytes(static_cast<std::uint64_t>(std::min(all, most)));
}

double Demand::bytes(std::size_t from, std::size_t to) const {
    if (from == to) return 0;
    switch (collective_.kind) {
        case Kind::scatter:
            return from == collective_.root ? as_bytes(collective_.block(to)) : 0;
        case Kind::allgather:
            return as_bytes(collective_.block(from));
        case Kind::alltoall:
            return as_bytes(collective_.block(from, to));
        default:
            return must_reach(from, to) ? as_bytes(collective_.bytes) : 0;
    }
}

bool Demand::must_reach(std::size_t from, std::size_t to) const {
    if (from == to) return false;
    switch (collective_.kind) {
        case Kind::broadcast:
            return from == collective_.root;
        case Kind::scan:
        case Kind::exscan:
            return from < to;
        case Kind::allreduce:
        case Kind::barrier:
            return true;
        default:
            return bytes(from, to) > 0;
    }
}

GroupDemand::GroupDemand(const Demand& demand, const Groups& groups)
    : demand_(demand), pairs_(groups.size(), groups.size(), 0), group_of_(demand.nodes()) {
    for (std::size_t group = 0; group < groups.size(); ++group)
        for (const std::size_t node : groups.members(group)) group_of_[node] = group;
    for (std::size_t a = 0; a < groups.size(); ++a)
        for (std::size_t b = 0; b < groups.size(); ++b)
            for (const std::size_t from : groups.members(a)) {
                double of_one = 0;
                for (const std::size_t to : groups.members(b)) {
                    const double bytes = demand.bytes(from, to);
                    of_one = demand.joins_targets() ? std::max(of_one, bytes) : of_one + bytes;
                }
                double& sum = pairs_(a, b);
                sum = demand.joins_sources() ? std::max(sum, of_one) : sum + of_one;
            }
}

double GroupDemand::bytes(std::span<const std::size_t> from,
                          std::span<const std::size_t> to) const {
    if (demand_.is_ordered())
        return static_cast<double>(prefixes(from, to)) * as_bytes(demand_.all());
    double sum = 0;
    for (const std::size_t a : from) {
        double of_one = 0;
        for (const std::size_t b : to)
            of_one =
                demand_.joins_targets() ? std::max(of_one, pairs_(a, b)) : of_one + pairs_(a, b);
        sum = demand_.joins_sources() ? std::max(sum, of_one) : sum + of_one;
    }
    return sum;
}

std::size_t GroupDemand::prefixes(std::span<const std::size_t> from,
                                  std::span<const std::size_t> to) const {
    std::size_t found = 0;
    bool is_longer = false;  // than the last that a target asked for
    for (const std::size_t group : group_of_) {
        if (std::ranges::find(from, group) != from.end()) {
            is_longer = true;
        } else if (is_longer && std::ranges::find(to, group) != to.end()) {
            is_longer = false;
            ++found;
        }
    }
    return found;
}

}  // namespace espalier::plan::bounds
