#include "schedule/mirror.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace espalier::schedule {

namespace {

Kind mirror(Kind kind) {
    switch (kind) {
        case Kind::broadcast:
            return Kind::reduce;
        case Kind::reduce:
            return Kind::broadcast;
        case Kind::scatter:
            return Kind::gather;
        case Kind::gather:
            return Kind::scatter;
        case Kind::allgather:
            return Kind::reduce_scatter;
        case Kind::reduce_scatter:
            return Kind::allgather;
        case Kind::allreduce:
        case Kind::alltoall:
        case Kind::barrier:
            break;
        case Kind::scan:
        case Kind::exscan:
            throw std::invalid_argument("a scan has no mirror");
    }
    return kind;
}

/// The transpose: what node i had for node j, j has for i.
std::shared_ptr<const Matrix<Bytes>> mirror(const Matrix<Bytes>& sizes) {
    Matrix<Bytes> transposed(sizes.columns(), sizes.rows());
    for (std::size_t i = 0; i < sizes.rows(); ++i)
        for (std::size_t j = 0; j < sizes.columns(); ++j) transposed(j, i) = sizes(i, j);
    return std::make_shared<const Matrix<Bytes>>(std::move(transposed));
}

/// Whether the collective or its mirror combines data; otherwise data only moves in both.
bool combines_either_way(Kind kind) { return combines(kind) || combines(mirror(kind)); }

LocalPart mirror(LocalPart part) {
    using Phase = LocalPart::Phase;
    part.phase = part.phase == Phase::before ? Phase::after : Phase::before;
    if (part.schedule) part.schedule = std::make_shared<const Schedule>(mirror(*part.schedule));
    return part;
}

}  // namespace

Schedule mirror(const Schedule& schedule) {
    Schedule result = schedule;
    result.collective.kind = mirror(schedule.collective.kind);
    if (const auto& sizes = schedule.collective.sizes) result.collective.sizes = mirror(*sizes);
    for (Chunk& chunk : result.chunks) {
        if (chunk.control) throw std::invalid_argument("a handshake has no mirror");
        std::swap(chunk.source, chunk.target);
    }
    std::ranges::reverse(result.transfers);
    for (Transfer& transfer : result.transfers) {
        if (transfer.after) throw std::invalid_argument("a handshake has no mirror");
        std::swap(transfer.from, transfer.to);
        if (combines_either_way(schedule.collective.kind))
            transfer.op = transfer.op == Op::copy ? Op::combine : Op::copy;
    }
    std::ranges::reverse(result.barriers);
    for (std::size_t& barrier : result.barriers) barrier = result.transfers.size() - barrier;
    std::ranges::reverse(result.local);
    for (LocalPart& part : result.local) part = mirror(std::move(part));
    return result;
}

}  // namespace espalier::schedule
