#include "runtime/pacer.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

namespace espalier::runtime {

namespace {

void sleep_until(double time) {
    const double wait = time - PMPI_Wtime();
    if (wait <= 0) return;
    timespec duration{};
    duration.tv_sec = static_cast<time_t>(wait);
    duration.tv_nsec = static_cast<long>((wait - std::floor(wait)) * 1e9);
    nanosleep(&duration, nullptr);
}

}  // namespace

void Pacer::start(const RankProgram& program) {
    spaced_ = program.spaced;
    ports_free_.assign(std::min(program.ports, program.sends.size()), 0);
    flights_.clear();
}

void Pacer::wait_for_turn(const RankProgram::Send& send) {
    std::pop_heap(ports_free_.begin(), ports_free_.end(), std::greater<>());
    double start = std::max(PMPI_Wtime(), ports_free_.back());
    const double latency = send.cost.latency.value;
    const double gap = send.cost.gap.value;
    const bool keeps_clear = spaced_ && send.whole;
    if (keeps_clear) start = clear_of_flights(start, send.cost);
    sleep_until(start);
    start = PMPI_Wtime();
    if (keeps_clear) flights_.emplace_back(start + latency, start + latency + gap);
    ports_free_.back() = start + gap;
    std::push_heap(ports_free_.begin(), ports_free_.end(), std::greater<>());
}

double Pacer::clear_of_flights(double start, const simulate::MessageCost& cost) {
    const double gap = cost.gap.value;
    const double latency = cost.latency.value;
    std::erase_if(flights_, [&](const auto& flight) { return flight.second <= start; });
    for (bool moved = true; moved;) {
        moved = false;
        for (const auto& [begin, end] : flights_) {
            if (start + latency >= end || start + latency + gap <= begin) continue;
            start = std::max(end - latency, std::nextafter(start, start + 1));
            moved = true;
        }
    }
    return start;
}

}  // namespace espalier::runtime
