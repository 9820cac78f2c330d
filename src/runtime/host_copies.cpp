#include "runtime/host_copies.hpp"

#include "runtime/element.hpp"
#include "runtime/failure.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace espalier::runtime {

namespace {

using schedule::Kind;

/// The range of a side's data, in bytes from its base.
Element::Span reach(const Area& area, const Side& side, std::size_t blocks) {
    Element::Span whole{std::numeric_limits<MPI_Aint>::max(), std::numeric_limits<MPI_Aint>::min()};
    for (std::size_t block = 0; block < blocks; ++block) {
        const Run run = area.elements(block);
        if (run.count == 0) continue;
        const MPI_Aint offset = run.address - static_cast<std::byte*>(side.base);
        const Element::Span span = area.element(block).span(run.count);
        whole.begin = std::min(whole.begin, offset + span.begin);
        whole.end = std::max(whole.end, offset + span.end);
    }
    return whole;
}

}  // namespace

HostCopies::HostCopies(const Operands& call, DeviceMemory& devices, const Seat& seat)
    : operands_(call), devices_(devices), seat_(seat) {
    const auto all = static_cast<std::size_t>(seat.size);
    const bool in_place = call.input.is_in_place() || call.output.is_in_place();
    const bool scatters = call.kind == Kind::scatter || call.kind == Kind::alltoall ||
                          call.kind == Kind::reduce_scatter;
    const bool gathers =
        call.kind == Kind::gather || call.kind == Kind::alltoall || call.kind == Kind::allgather;
    replace(operands_.input.base, call.input, scatters ? all : 1, false);
    if (call.kind == Kind::reduce_scatter && in_place) {
        // The output begins as the input of all.
        Side whole = call.input;
        whole.base = call.output.base;
        replace(operands_.output.base, whole, all, true);
    } else {
        replace(operands_.output.base, call.output, gathers ? all : 1, true);
    }
}

void HostCopies::replace(void*& base, const Side& side, std::size_t blocks, bool is_output) {
    if (!side.is_given() || side.is_in_place()) return;
    if (!devices_.has_run_time()) return;
    const Element::Span span = reach(Area(side, blocks, false), side, blocks);
    if (span.begin >= span.end) return;
    if (!devices_.holds(static_cast<std::byte*>(side.base) + span.begin)) return;
    Copy copy;
    copy.device = side;
    copy.host = side;
    copy.blocks = blocks;
    copy.is_output = is_output;
    // As well aligned as the device's own.
    constexpr MPI_Aint step = alignof(std::max_align_t);
    const MPI_Aint past = (span.begin % step + step) % step;
    copy.memory = std::make_unique<std::byte[]>(static_cast<std::size_t>(span.end - span.begin) +
                                                static_cast<std::size_t>(step));
    copy.host.base = copy.memory.get() + past - span.begin;
    base = copy.host.base;
    move(copy.device, copy.host, blocks);
    copies_.push_back(std::move(copy));
}

void HostCopies::move(const Side& from, const Side& to, std::size_t blocks) const {
    const Area source(from, blocks, false);
    const Area target(to, blocks, false);
    for (std::size_t block = 0; block < blocks; ++block) {
        const Run out = source.elements(block);
        const Run in = target.elements(block);
        if (out.count == 0) continue;
        send_to_itself({{&out, 1}, source.element(block)}, {{&in, 1}, target.element(block)},
                       seat_);
    }
}

void HostCopies::finish() const {
    for (const Copy& copy : copies_)
        if (copy.is_output) move(copy.host, copy.device, copy.blocks);
}

void HostCopies::abandon() {
    for (Copy& copy : copies_) static_cast<void>(copy.memory.release());
}

}  // namespace espalier::runtime
