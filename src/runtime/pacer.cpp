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
    begin_ = PMPI_Wtime();
    ports_free_.assign(std::min(program.ports, program.sends.size()), 0);
}

void Pacer::wait_for_turn(const RankProgram::Send& send) {
    std::pop_heap(ports_free_.begin(), ports_free_.end(), std::greater<>());
    sleep_until(std::max(ports_free_.back(), begin_ + send.start.value));
    ports_free_.back() = PMPI_Wtime() + send.gap.value;
    std::push_heap(ports_free_.begin(), ports_free_.end(), std::greater<>());
}

}  // namespace espalier::runtime
