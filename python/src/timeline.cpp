#include "timeline.hpp"

#include <vector>

namespace espalier::python {

namespace {

std::int64_t index(std::size_t number) { return static_cast<std::int64_t>(number); }

}  // namespace

void register_records() {
    PYBIND11_NUMPY_DTYPE(TransferRecord, sender, receiver, chunk, chunks, combine, bytes, segments,
                         start, sent, arrival, end);
    PYBIND11_NUMPY_DTYPE(LocalRecord, node, segments, start, end);
    PYBIND11_NUMPY_DTYPE(LinkRecord, link, paths, part);
}

py::array_t<TransferRecord> timeline_array(const schedule::Plan& plan) {
    const schedule::Schedule& schedule = plan.schedule;
    std::vector<TransferRecord> records(schedule.transfers.size());
    for (std::size_t t = 0; t < records.size(); ++t) {
        const schedule::Transfer& transfer = schedule.transfers[t];
        const schedule::Timeline::Times& times = plan.timeline.transfers[t];
        records[t] = {index(transfer.from),
                      index(transfer.to),
                      index(transfer.chunk),
                      index(transfer.chunks),
                      transfer.op == schedule::Op::combine,
                      schedule.bytes_of(transfer).value,
                      index(schedule.segments_of(transfer)),
                      times.start.value,
                      times.sent.value,
                      times.arrival.value,
                      times.end.value};
    }
    return record_array(records);
}

py::array_t<LocalRecord> local_array(const schedule::Plan& plan) {
    const auto& parts = plan.schedule.local;
    std::vector<LocalRecord> records;
    for (std::size_t p = 0; p < parts.size() && p < plan.timeline.local.size(); ++p)
        records.push_back({index(parts[p].node), index(parts[p].segments),
                           plan.timeline.local[p].start.value, plan.timeline.local[p].end.value});
    return record_array(records);
}

}  // namespace espalier::python
