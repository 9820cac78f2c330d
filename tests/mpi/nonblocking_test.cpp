// Nonblocking collectives: any of them, several under way, among all else that a program does with
// requests, gives what the blocking ones of MPI give.

#include "collective_checks.hpp"
#include "nonblocking_calls.hpp"
#include "ways_to_complete.hpp"

#include "runtime/neighbours.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <thread>

namespace {

using espalier::Random;
using espalier::test::Completion;
using espalier::test::Data;
using espalier::test::expect_own_receive_untouched_by;
using espalier::test::for_each_way_to_complete;
using espalier::test::is_planned;
using espalier::test::Nonblocking;
using espalier::test::nonblocking_calls;
using espalier::test::rank_in;
using espalier::test::Requests;
using espalier::test::roots_of;
using espalier::test::size_of;
using espalier::test::state_of;

/// Whether nonblocking calls are planned at all: MPI has to let them go on while it waits.
bool may_plan() {
    auto* const process = espalier::runtime::Process::current();
    return process != nullptr && process->common().progresses;
}

/// Whether all are, with ESPALIER_PLAN=always.
bool plans_all(MPI_Comm comm) {
    return may_plan() && is_planned(comm) &&
           espalier::runtime::Process::current()->settings().planning ==
               espalier::runtime::Settings::Planning::always;
}

std::uint64_t begun(MPI_Comm comm) { return may_plan() ? state_of(comm).begun() : 0; }

/// A call under way with what it should give.
struct Begun {
    Begun(const Nonblocking& made, MPI_Comm comm, int count, int root, std::uint64_t seed)
        : call(&made), data(comm, count, root, seed), expected(data) {
        made.past(expected, comm);
    }
    const Nonblocking* call;
    Data data;
    Data expected;
};

TEST(Nonblocking, gives_what_the_blocking_call_gives) {
    const std::uint64_t before = begun(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    std::uint64_t calls = 0;
    for (const Nonblocking& call : nonblocking_calls)
        for (const int count : {0, 1, 7, 1001, 70001})
            for (const int root : roots_of(call, size)) {
                Begun one(call, MPI_COMM_WORLD, count, root, ++calls);
                MPI_Request request = MPI_REQUEST_NULL;
                ASSERT_EQ(call.begin(one.data, MPI_COMM_WORLD, &request), MPI_SUCCESS);
                ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
                EXPECT_EQ(request, MPI_REQUEST_NULL);
                EXPECT_TRUE(one.data == one.expected) << call.name << " " << count << " " << root;
            }
    // Not those without bytes.
    if (plans_all(MPI_COMM_WORLD)) {
        EXPECT_GE(begun(MPI_COMM_WORLD) - before, 4 * calls / 5);
    }
}

TEST(Nonblocking, is_planned_on_other_communicators_after_a_blocking_call) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank_in(MPI_COMM_WORLD) * 7 + 3) % 5, &part);
    for (int round = 0; round < 3; ++round) {
        const std::uint64_t before = begun(part);
        std::uint64_t calls = 0;
        for (const Nonblocking& call : nonblocking_calls) {
            Begun one(call, part, 33, 0, ++calls);
            MPI_Request request = MPI_REQUEST_NULL;
            call.begin(one.data, part, &request);
            int flag = 0;
            while (flag == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            EXPECT_TRUE(one.data == one.expected) << call.name;
        }
        if (plans_all(part)) {
            EXPECT_EQ(begun(part) - before, round == 0 ? 0 : calls);
        }
        MPI_Barrier(part);
    }
    MPI_Comm_free(&part);
}

/// All kinds on `comm` at once, with messages of the program's own between, waited for by `wait`.
void all_at_once(MPI_Comm comm, int count, const Completion& wait) {
    const int rank = rank_in(comm);
    const int size = size_of(comm);
    std::vector<std::unique_ptr<Begun>> all;
    for (const Nonblocking& call : nonblocking_calls)
        all.push_back(std::make_unique<Begun>(call, comm, count, size / 2, all.size()));
    std::vector<MPI_Request> requests;
    std::vector<int> heard(all.size(), -1);
    std::vector<int> told(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
        const int tag = static_cast<int>(k);
        told[k] = 100 * rank + tag;
        MPI_Irecv(&heard[k], 1, MPI_INT, (rank + size - 1) % size, tag, comm,
                  &requests.emplace_back());
        all[k]->call->begin(all[k]->data, comm, &requests.emplace_back());
        MPI_Isend(&told[k], 1, MPI_INT, (rank + 1) % size, tag, comm, &requests.emplace_back());
        if (k % 5 == 0) {
            int sum = 0;
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
            EXPECT_EQ(sum, size * (size - 1) / 2);
        }
    }
    wait(requests);
    for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_TRUE(all[k]->data == all[k]->expected) << all[k]->call->name;
        EXPECT_EQ(heard[k], 100 * ((rank + size - 1) % size) + static_cast<int>(k));
    }
}

TEST(Nonblocking, several_are_under_way_in_mixed_arrays) {
    for (const int count : {3, 20001})
        for_each_way_to_complete(
            [&](const Completion& complete) { all_at_once(MPI_COMM_WORLD, count, complete); });
}

TEST(Nonblocking, messages_of_the_program_are_its_own) {
    expect_own_receive_untouched_by([] {
        std::vector<std::unique_ptr<Begun>> all;
        std::vector<MPI_Request> requests;
        for (const Nonblocking& call : nonblocking_calls) {
            all.push_back(std::make_unique<Begun>(call, MPI_COMM_WORLD, 501, 0, all.size()));
            call.begin(all.back()->data, MPI_COMM_WORLD, &requests.emplace_back());
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        for (const auto& each : all) EXPECT_TRUE(each->data == each->expected);
    });
}

/// Others can go on only if a rank that waits in MPI for something else moves on what it began.
class GoesOn : public testing::Test {
protected:
    static constexpr int count = 1 << 18;
    const int rank_ = rank_in(MPI_COMM_WORLD);
    const int size_ = size_of(MPI_COMM_WORLD);
    std::vector<int> data_ = std::vector<int>(count, rank_ == 0 ? 7 : 0);
    std::vector<int> sum_ = std::vector<int>(count);
    MPI_Request request_ = MPI_REQUEST_NULL;
    MPI_Request other_ = MPI_REQUEST_NULL;

    void begin() {
        MPI_Ibcast(data_.data(), count, MPI_INT, 0, MPI_COMM_WORLD, &request_);
        MPI_Iallreduce(data_.data(), sum_.data(), 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &other_);
    }
    void wait() {
        MPI_Wait(&request_, MPI_STATUS_IGNORE);
        EXPECT_EQ(data_.back(), 7);
        MPI_Wait(&other_, MPI_STATUS_IGNORE);
    }
};

TEST_F(GoesOn, while_a_rank_receives) {
    if (size_ < 2) GTEST_SKIP();
    for (int waiting = 0; waiting < size_; ++waiting) {
        begin();
        int word = 0;
        if (rank_ == waiting) {
            for (int other = 1; other < size_; ++other)
                MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, waiting, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            wait();
        } else {
            wait();
            MPI_Send(&word, 1, MPI_INT, waiting, waiting, MPI_COMM_WORLD);
        }
    }
}

TEST_F(GoesOn, while_a_rank_sends_or_probes) {
    if (size_ < 2) GTEST_SKIP();
    const int last = size_ - 1;
    std::vector<int> large(count);
    begin();
    if (rank_ == 0) {
        MPI_Ssend(large.data(), count, MPI_INT, last, 100, MPI_COMM_WORLD);
        MPI_Probe(last, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(large.data(), 1, MPI_INT, last, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wait();
    } else {
        wait();
        if (rank_ != last) return;
        MPI_Recv(large.data(), count, MPI_INT, 0, 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(large.data(), 1, MPI_INT, 0, 101, MPI_COMM_WORLD);
    }
}

TEST_F(GoesOn, while_a_rank_is_in_a_collective_of_others) {
    if (size_ < 2) GTEST_SKIP();
    MPI_Comm pair = MPI_COMM_NULL;
    const bool is_in = rank_ == 0 || rank_ == size_ - 1;
    MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, 0, &pair);
    for (int round = 0; round < 3; ++round) {
        begin();
        if (rank_ == 0) {
            PMPI_Barrier(pair);
            wait();
        } else {
            wait();
            if (is_in) PMPI_Barrier(pair);
        }
    }
    if (is_in) MPI_Comm_free(&pair);
}

/// While this lives, MPI's own broadcast takes long to begin on the first rank.
class SlowToBegin {
public:
    SlowToBegin() { Ibcast::answers = &begin; }
    ~SlowToBegin() { Ibcast::answers = own_; }
    SlowToBegin(const SlowToBegin&) = delete;
    SlowToBegin& operator=(const SlowToBegin&) = delete;

    /// Until it begins there, or did not for long.
    static void wait(MPI_Comm comm) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (rank_in(comm) == 0 && !is_in && std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
    }

private:
    using Ibcast = espalier::runtime::Beyond<PMPI_Ibcast>;
    static int begin(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                     MPI_Request* request) {
        if (rank_in(comm) == 0) {
            is_in = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return PMPI_Ibcast(buffer, count, type, root, comm, request);
    }
    decltype(Ibcast::answers.load()) const own_ = Ibcast::answers.load();
    static inline std::atomic<bool> is_in = false;
};

// A thread begins one when it hears that it is MPI's own, and the program the next one meanwhile.
TEST(Nonblocking, others_begin_after_it_however_long_it_takes) {
    const auto named = [](const std::string& name) -> const Nonblocking& {
        return *std::ranges::find_if(nonblocking_calls,
                                     [&](const Nonblocking& call) { return call.name == name; });
    };
    const auto sum = [&] { return Begun(named("Allreduce"), MPI_COMM_WORLD, 333, 0, 1); };
    const auto begin = [](Begun& one, MPI_Request* request) {
        one.call->begin(one.data, MPI_COMM_WORLD, request);
    };
    for (int round = 0; round < 2; ++round) {
        Begun known = sum();
        MPI_Request request = MPI_REQUEST_NULL;
        begin(known, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    Begun first(named("Bcast"), MPI_COMM_WORLD, 4321, 0, 2);
    Begun second = sum();
    std::array<MPI_Request, 2> requests{};
    const SlowToBegin slow;
    begin(first, &requests[0]);
    SlowToBegin::wait(MPI_COMM_WORLD);
    begin(second, &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_TRUE(first.data == first.expected);
    EXPECT_TRUE(second.data == second.expected);
}

TEST(Nonblocking, types_operators_and_communicators_may_be_freed_meanwhile) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const int rank = rank_in(copy);
    for (int round = 0; round < 4; ++round) {
        MPI_Datatype holed = MPI_DATATYPE_NULL;
        MPI_Type_vector(40, 1, 2, MPI_INT, &holed);
        MPI_Type_commit(&holed);
        MPI_Op product = MPI_OP_NULL;
        MPI_Op_create(
            [](void* in, void* inout, int* length, MPI_Datatype*) {
                for (int k = 0; k < *length; ++k)
                    static_cast<int*>(inout)[k] ^= static_cast<int*>(in)[k];
            },
            1, &product);
        std::vector<int> data(79, rank == 0 ? 5 : -1);
        const int bit = 1 << (rank % 8);
        int bits = 0;
        std::vector<MPI_Request> requests(2);
        MPI_Ibcast(data.data(), 1, holed, 0, copy, requests.data());
        MPI_Iallreduce(&bit, &bits, 1, MPI_INT, product, copy, &requests[1]);
        MPI_Type_free(&holed);
        MPI_Waitall(1, &requests[1], MPI_STATUSES_IGNORE);
        MPI_Op_free(&product);
        if (round == 3) MPI_Comm_free(&copy);
        MPI_Wait(requests.data(), MPI_STATUS_IGNORE);
        for (std::size_t k = 0; k < data.size(); ++k)
            EXPECT_EQ(data[k], k % 2 == 0 ? 5 : rank == 0 ? 5 : -1);
        int expected = 0;
        for (int each = 0; each < size_of(MPI_COMM_WORLD); ++each) expected ^= 1 << (each % 8);
        EXPECT_EQ(bits, expected);
        if (round < 3) MPI_Barrier(copy);
    }
}

/// Random calls of all kinds on some communicators, any number under way; the same on all ranks.
TEST(Nonblocking, random_traffic_gives_what_blocking_calls_give) {
    const char* const given = std::getenv("ESPALIER_TEST_SECONDS");
    const double seconds = given != nullptr ? std::atof(given) : 2;
    std::uint64_t seed =
        static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    if (const char* const again = std::getenv("ESPALIER_TEST_SEED"))
        seed = std::strtoull(again, nullptr, 10);
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank_in(MPI_COMM_WORLD) == 0)
        std::printf("ESPALIER_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    std::vector<MPI_Comm> comms(3, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &comms[2]);
    Random same(seed);
    Random own(seed + 1 + static_cast<std::uint64_t>(rank_in(MPI_COMM_WORLD)));
    std::vector<std::unique_ptr<Begun>> under_way;
    Requests requests;
    std::size_t values = 0;
    const auto take = [&](std::size_t k) {
        EXPECT_TRUE(under_way[k]->data == under_way[k]->expected) << under_way[k]->call->name;
        values += under_way[k]->data.out.size();
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(k));
        requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(k));
    };
    const double began = MPI_Wtime();
    for (int goes_on = 1; goes_on != 0 && !testing::Test::HasFailure();) {
        for (int call = 0; call < 50; ++call) {
            MPI_Comm comm = comms[same.below(comms.size())];
            const auto& made = nonblocking_calls[same.below(nonblocking_calls.size())];
            const int count = static_cast<int>(same.below(1 << (1 + same.below(12))));
            const int root =
                static_cast<int>(same.below(static_cast<std::uint64_t>(size_of(comm))));
            under_way.push_back(std::make_unique<Begun>(made, comm, count, root, same.below(1000)));
            made.begin(under_way.back()->data, comm, &requests.emplace_back());
            if (same.below(4) == 0) {
                Begun blocking(nonblocking_calls[2], comm, count, root, same.below(1000));
                MPI_Allreduce(blocking.data.in.data(), blocking.data.out.data(), count, MPI_INT,
                              MPI_MAX, comm);
                EXPECT_TRUE(blocking.data == blocking.expected);
            }
            const std::size_t one = own.below(requests.size());
            int flag = 0;
            if (own.below(2) == 0) MPI_Test(&requests[one], &flag, MPI_STATUS_IGNORE);
            if (flag != 0) take(one);
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        while (!under_way.empty()) take(0);
        goes_on = MPI_Wtime() - began < seconds && !testing::Test::HasFailure() ? 1 : 0;
        PMPI_Allreduce(MPI_IN_PLACE, &goes_on, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    if (rank_in(MPI_COMM_WORLD) == 0) std::printf("%zu values\n", values);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
}

}  // namespace
