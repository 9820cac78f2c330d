// Persistent collectives: any of them, started again and again, several at once and in another
// order on each rank, among all else that a program does with requests, gives what the blocking
// ones of MPI give.

#include "collective_checks.hpp"
#include "persistent_calls.hpp"
#include "ways_to_complete.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace {

using espalier::Random;
using espalier::test::class_of;
using espalier::test::Completion;
using espalier::test::expect_own_receive_untouched_by;
using espalier::test::for_each_way_to_complete;
using espalier::test::is_planned;
using espalier::test::Nonblocking;
using espalier::test::nonblocking_calls;
using espalier::test::one_of_each;
using espalier::test::rank_in;
using espalier::test::Ready;
using espalier::test::Requests;
using espalier::test::roots_of;
using espalier::test::size_of;
using espalier::test::state_of;

/// Whether all are planned, with ESPALIER_PLAN=always, where MPI lets them go on while it waits.
bool plans_all_persistent(MPI_Comm comm) {
    auto* const process = espalier::runtime::Process::current();
    return process != nullptr && process->common().progresses && is_planned(comm) &&
           process->settings().planning == espalier::runtime::Settings::Planning::always;
}

std::uint64_t made_ready(MPI_Comm comm) {
    return plans_all_persistent(comm) ? state_of(comm).begun() : 0;
}

TEST(Persistent, gives_what_the_blocking_call_gives_whenever_it_is_started) {
    const std::uint64_t before = made_ready(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    std::uint64_t calls = 0;
    for (const Nonblocking& call : nonblocking_calls)
        for (const int count : {0, 1, 1001, 20001})
            for (const int root : roots_of(call, size)) {
                Ready one(call, MPI_COMM_WORLD, count, root);
                ++calls;
                for (std::uint64_t round = 0; round < 3; ++round) {
                    one.fill(10 * calls + round);
                    const MPI_Request request = one.request;
                    ASSERT_EQ(MPI_Start(&one.request), MPI_SUCCESS);
                    ASSERT_EQ(MPI_Wait(&one.request, MPI_STATUS_IGNORE), MPI_SUCCESS);
                    EXPECT_EQ(one.request, request);
                    one.check();
                }
            }
    // Not those without bytes.
    if (plans_all_persistent(MPI_COMM_WORLD)) {
        EXPECT_GE(made_ready(MPI_COMM_WORLD) - before, 3 * calls / 4);
    }
}

TEST(Persistent, is_planned_on_any_communicator) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank_in(MPI_COMM_WORLD) * 7 + 3) % 5, &part);
    const std::uint64_t before = made_ready(part);
    {
        const auto all = one_of_each(part, 33);
        for (const auto& one : all) {
            one->fill(1);
            MPI_Start(&one->request);
            int flag = 0;
            while (flag == 0) MPI_Test(&one->request, &flag, MPI_STATUS_IGNORE);
            one->check();
        }
        if (plans_all_persistent(part)) {
            EXPECT_EQ(made_ready(part) - before, all.size());
        }
    }
    MPI_Comm_free(&part);
}

bool is_ours(MPI_Request request) {
    auto* const process = espalier::runtime::Process::current();
    return process != nullptr && process->persistent_calls().find(request) != nullptr;
}

void expect_empty(const MPI_Status& status) {
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT_EQ(count, 0);
    int is_cancelled = 1;
    MPI_Test_cancelled(&status, &is_cancelled);
    EXPECT_EQ(is_cancelled, 0);
}

TEST(Persistent, nobody_waits_for_what_is_not_started) {
    Ready one(nonblocking_calls[2], MPI_COMM_WORLD, 100, 0);
    if (!is_ours(one.request)) GTEST_SKIP() << "MPICH 4.0 waits for ever";
    for (int round = 0; round < 3; ++round) {
        MPI_Status status;
        int flag = 0;
        EXPECT_EQ(MPI_Wait(&one.request, &status), MPI_SUCCESS);
        expect_empty(status);
        EXPECT_EQ(MPI_Test(&one.request, &flag, &status), MPI_SUCCESS);
        EXPECT_NE(flag, 0);
        flag = 0;
        EXPECT_EQ(MPI_Request_get_status(one.request, &flag, &status), MPI_SUCCESS);
        EXPECT_NE(flag, 0);
        int place = 0;
        EXPECT_EQ(MPI_Waitany(1, &one.request, &place, &status), MPI_SUCCESS);
        EXPECT_EQ(place, MPI_UNDEFINED);
        int over = 0;
        EXPECT_EQ(MPI_Waitsome(1, &one.request, &over, &place, &status), MPI_SUCCESS);
        EXPECT_EQ(over, MPI_UNDEFINED);
        one.fill(static_cast<std::uint64_t>(round));
        EXPECT_EQ(MPI_Start(&one.request), MPI_SUCCESS);
        EXPECT_EQ(MPI_Wait(&one.request, &status), MPI_SUCCESS);
        expect_empty(status);
        one.check();
    }
}

/// All kinds on `comm` at once, in one array with persistent messages of the program's own, started
/// in another order on each rank, waited for by `wait`.
void all_in_one_array(MPI_Comm comm, int count, bool at_once, const Completion& wait) {
    const int rank = rank_in(comm);
    const int size = size_of(comm);
    const auto all = one_of_each(comm, count);
    std::vector<int> heard(all.size(), -1);
    std::vector<int> told(all.size());
    Requests requests;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const int tag = static_cast<int>(k);
        MPI_Recv_init(&heard[k], 1, MPI_INT, (rank + size - 1) % size, tag, comm,
                      &requests.emplace_back());
        requests.push_back(all[k]->request);
        MPI_Send_init(&told[k], 1, MPI_INT, (rank + 1) % size, tag, comm, &requests.emplace_back());
    }
    for (int round = 0; round < 3; ++round) {
        for (std::size_t k = 0; k < all.size(); ++k) {
            told[k] = 1000 * round + 100 * rank + static_cast<int>(k);
            all[k]->fill(static_cast<std::uint64_t>(round) + k);
        }
        std::vector<std::size_t> order(requests.size());
        std::iota(order.begin(), order.end(), 0);
        Random random(static_cast<std::uint64_t>(100 * round + rank));
        for (std::size_t k = order.size(); k > 1; --k)
            std::swap(order[k - 1], order[random.below(k)]);
        Requests started;
        for (const std::size_t k : order) started.push_back(requests[k]);
        if (at_once) {
            MPI_Startall(static_cast<int>(started.size()), started.data());
        } else {
            for (std::size_t k = 0; k < started.size(); ++k) {
                MPI_Start(&started[k]);
                if (k % 16 != 0) continue;
                int sum = 0;
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
                EXPECT_EQ(sum, size * (size - 1) / 2);
            }
        }
        for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(started[k], requests[order[k]]);
        wait(started);
        for (std::size_t k = 0; k < all.size(); ++k) {
            all[k]->check();
            EXPECT_EQ(heard[k],
                      1000 * round + 100 * ((rank + size - 1) % size) + static_cast<int>(k));
        }
    }
    for (std::size_t k = 0; k < requests.size(); ++k)
        if (k % 3 != 1) MPI_Request_free(&requests[k]);
}

TEST(Persistent, several_are_started_in_any_order_in_mixed_arrays) {
    bool at_once = false;
    for (const int count : {3, 10001})
        for_each_way_to_complete([&](const Completion& complete) {
            at_once = !at_once;
            all_in_one_array(MPI_COMM_WORLD, count, at_once, complete);
        });
}

// What is started is in no order with other calls.
TEST(Persistent, may_be_over_before_another_rank_makes_a_nonblocking_call_that_this_one_has_made) {
    const int rank = rank_in(MPI_COMM_WORLD);
    if (size_of(MPI_COMM_WORLD) < 2) GTEST_SKIP();
    Ready one(nonblocking_calls[2], MPI_COMM_WORLD, 1001, 0);
    for (int round = 0; round < 5; ++round) {
        one.fill(static_cast<std::uint64_t>(round));
        int word = rank == 0 ? round : -1;
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank % 2 == 0) MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&one.request);
        MPI_Wait(&one.request, MPI_STATUS_IGNORE);
        if (rank % 2 != 0) MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        one.check();
        EXPECT_EQ(word, round);
    }
}

TEST(Persistent, goes_on_while_a_rank_receives) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    if (size < 2) GTEST_SKIP();
    Ready one(nonblocking_calls[0], MPI_COMM_WORLD, 1 << 18, 0);
    for (int waiting = 0; waiting < size; ++waiting) {
        one.fill(static_cast<std::uint64_t>(waiting));
        MPI_Start(&one.request);
        int word = 0;
        if (rank == waiting) {
            for (int other = 1; other < size; ++other)
                MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, waiting, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
        MPI_Wait(&one.request, MPI_STATUS_IGNORE);
        if (rank != waiting) MPI_Send(&word, 1, MPI_INT, waiting, waiting, MPI_COMM_WORLD);
        one.check();
    }
}

TEST(Persistent, messages_of_the_program_are_its_own) {
    const auto all = one_of_each(MPI_COMM_WORLD, 501);
    for (const auto& one : all) one->fill(3);
    expect_own_receive_untouched_by([&] {
        for (const auto& one : all) MPI_Start(&one->request);
        for (const auto& one : all) MPI_Wait(&one->request, MPI_STATUS_IGNORE);
        for (const auto& one : all) one->check();
    });
}

TEST(Persistent, types_may_be_freed_and_the_communicator_while_it_goes_on) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const int rank = rank_in(copy);
    MPI_Datatype holed = MPI_DATATYPE_NULL;
    MPI_Type_vector(40, 1, 2, MPI_INT, &holed);
    MPI_Type_commit(&holed);
    std::vector<int> data(79);
    MPI_Request request = MPI_REQUEST_NULL;
    ESPALIER_INITIALIZATION(Bcast)(data.data(), 1, holed, 0, copy, MPI_INFO_NULL, &request);
    if (!is_ours(request)) GTEST_SKIP() << "Open MPI 4.1 needs them";
    MPI_Type_free(&holed);
    for (int round = 0; round < 4; ++round) {
        std::ranges::fill(data, rank == 0 ? round : -1);
        MPI_Start(&request);
        if (round == 3) MPI_Comm_free(&copy);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (std::size_t k = 0; k < data.size(); ++k)
            EXPECT_EQ(data[k], rank == 0 || k % 2 == 0 ? round : -1);
    }
    MPI_Request_free(&request);
}

// What a rank keeps of such a type is a message to itself, as is what completes the request.
TEST(Persistent, types_may_have_holes) {
    constexpr int count = 50;
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Datatype holed = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, 2, MPI_INT, &holed);
    MPI_Type_commit(&holed);
    std::vector<int> own(std::size_t{2} * count);
    std::vector<int> all(static_cast<std::size_t>(count * size_of(MPI_COMM_WORLD)));
    MPI_Request request = MPI_REQUEST_NULL;
    ESPALIER_INITIALIZATION(Allgather)
    (own.data(), 1, holed, all.data(), count, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 4; ++round) {
        std::ranges::fill(own, 100 * round + rank);
        std::ranges::fill(all, -1);
        MPI_Start(&request);
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (std::size_t k = 0; k < all.size(); ++k)
            EXPECT_EQ(all[k], 100 * round + static_cast<int>(k) / count);
    }
    MPI_Request_free(&request);
    MPI_Type_free(&holed);
}

// More than there are tags for at once: with Open MPI 8192, MPICH 2048.
TEST(Persistent, any_number_is_made_and_freed) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const std::uint64_t before = made_ready(copy);
    constexpr int all = 9'000;
    for (int made = 0; made < all; ++made) {
        int word = rank_in(copy) == 0 ? made : -1;
        MPI_Request request = MPI_REQUEST_NULL;
        ESPALIER_INITIALIZATION(Bcast)(&word, 1, MPI_INT, 0, copy, MPI_INFO_NULL, &request);
        if (made % 1000 == 0) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            EXPECT_EQ(word, made);
        }
        MPI_Request_free(&request);
    }
    if (plans_all_persistent(copy)) {
        EXPECT_EQ(made_ready(copy) - before, all);
    }
    MPI_Comm_free(&copy);
}

// Open MPI starts nothing again that has failed, nor frees it. Among more ranks a call whose counts
// differ may hang, as blocking ones do.
TEST(Persistent, an_error_is_returned_when_it_is_over_and_others_bring_what_they_should) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (plans_all_persistent(copy) && size_of(copy) <= 3) {
        const int rank = rank_in(copy);
        const bool is_short = rank == size_of(copy) - 1;
        for (const int factor : {1, 3000}) {
            Ready other(nonblocking_calls[2], copy, 100 * factor, 0);
            for (int round = 0; round < 3; ++round) {
                std::vector<int> data(static_cast<std::size_t>(36 * factor), rank);
                MPI_Request request = MPI_REQUEST_NULL;
                ESPALIER_INITIALIZATION(Bcast)
                (data.data(), factor * (is_short ? 33 : 36), MPI_INT, 0, copy, MPI_INFO_NULL,
                 &request);
                other.fill(static_cast<std::uint64_t>(round));
                MPI_Start(&request);
                MPI_Start(&other.request);
                EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)),
                          is_short ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
                EXPECT_EQ(MPI_Wait(&other.request, MPI_STATUS_IGNORE), MPI_SUCCESS);
                other.check();
                MPI_Request_free(&request);
            }
        }
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&copy);
}

/// Random starts of some calls on some communicators, in an order of each rank's own, beside other
/// calls, which are the same on all.
TEST(Persistent, random_traffic_gives_what_blocking_calls_give) {
    constexpr std::uint64_t seed = 17;
    std::vector<MPI_Comm> comms(2, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &comms[1]);
    Random same(seed);
    Random own(seed + 1 + static_cast<std::uint64_t>(rank_in(MPI_COMM_WORLD)));
    {
        std::vector<std::unique_ptr<Ready>> all;
        for (int k = 0; k < 40; ++k) {
            MPI_Comm comm = comms[same.below(comms.size())];
            const auto root =
                static_cast<int>(same.below(static_cast<std::uint64_t>(size_of(comm))));
            const int count = static_cast<int>(same.below(1 << (1 + same.below(12))));
            all.push_back(std::make_unique<Ready>(
                nonblocking_calls[same.below(nonblocking_calls.size())], comm, count, root));
        }
        for (std::uint64_t round = 0; round < 40; ++round) {
            std::vector<Ready*> chosen;
            for (const auto& one : all)
                if (same.below(3) == 0) chosen.push_back(one.get());
            for (Ready* one : chosen) one->fill(round);
            for (std::size_t k = chosen.size(); k > 1; --k)
                std::swap(chosen[k - 1], chosen[own.below(k)]);
            for (Ready* one : chosen) {
                MPI_Start(&one->request);
                int flag = 0;
                if (own.below(2) == 0) MPI_Test(&one->request, &flag, MPI_STATUS_IGNORE);
            }
            MPI_Request request = MPI_REQUEST_NULL;
            int word = rank_in(MPI_COMM_WORLD) == 0 ? 5 : -1;
            if (same.below(2) == 0) MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
            if (same.below(2) == 0) MPI_Barrier(comms[same.below(comms.size())]);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            for (Ready* one : chosen) {
                MPI_Wait(&one->request, MPI_STATUS_IGNORE);
                one->check();
            }
        }
    }
    MPI_Comm_free(&comms[1]);
}

}  // namespace
