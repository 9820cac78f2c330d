#include "runtime/under_way.hpp"

#include "runtime/failure.hpp"
#include "runtime/revocation.hpp"
#include "runtime/together.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace espalier::runtime {

namespace {

enum class State { under_way, completed, failed };

State look_at(MPI_Request& request) {
    int done = 0;
    if (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return State::failed;
    return done != 0 ? State::completed : State::under_way;
}

bool may_fail(MPI_Comm comm) {
    try {
        return outlives_failures(comm);
    } catch (const MpiFailure&) {
        return true;
    }
}

}  // namespace

// No lock is held while MPI is called: it may destroy communicators then, and call us.

template <typename Which>
std::vector<UnderWay::Begun> UnderWay::take(const Which& which) {
    const std::scoped_lock lock(mutex_);
    const auto taken = std::stable_partition(all_.begin(), all_.end(),
                                             [&](const Begun& begun) { return !which(begun); });
    std::vector<Begun> result(std::make_move_iterator(taken), std::make_move_iterator(all_.end()));
    all_.erase(taken, all_.end());
    return result;
}

void UnderWay::add(MPI_Comm comm, MPI_Request& request, std::shared_ptr<void> memory) {
    std::vector<Begun> left =
        take([](const Begun& begun) { return begun.memory.use_count() == 1; });
    std::erase_if(left,
                  [](const Begun& begun) { return look_at(*begun.request) == State::completed; });
    const std::scoped_lock lock(mutex_);
    std::move(left.begin(), left.end(), std::back_inserter(all_));
    all_.push_back({comm, &request, std::move(memory)});
}

void UnderWay::remove(const MPI_Request& request) {
    (void)take([&](const Begun& begun) { return begun.request == &request; });
}

void UnderWay::complete(MPI_Comm comm) {
    for (const Begun& begun : take([&](const Begun& each) { return each.comm == comm; }))
        PMPI_Wait(begun.request, MPI_STATUS_IGNORE);
}

void UnderWay::complete_all(Seconds time) {
    const auto deadline = after(time);
    std::vector<Begun> left = take([](const Begun&) { return true; });
    std::erase_if(left, [&](const Begun& begun) {
        State state = State::under_way;
        (void)wait_asleep(may_fail(begun.comm) ? deadline : Clock::time_point::max(), [&] {
            state = look_at(*begun.request);
            return state != State::under_way;
        });
        return state == State::completed;
    });
    // What MPI may still write to outlives its end.
    const std::scoped_lock lock(mutex_);
    std::move(left.begin(), left.end(), std::back_inserter(all_));
}

}  // namespace espalier::runtime
