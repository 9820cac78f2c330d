// Neighbourhood collectives on topologies of every kind: what they give is what MPI's own give, and
// they are planned where each neighbour is one once.

#include "collective_checks.hpp"
#include "neighbourly_calls.hpp"
#include "ways_to_complete.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace {

using espalier::Random;
using espalier::test::all_topologies;
using espalier::test::calls_that_work;
using espalier::test::Completion;
using espalier::test::Data;
using espalier::test::directed;
using espalier::test::expect_own_receive_untouched_by;
using espalier::test::for_each_way_to_complete;
using espalier::test::grid;
using espalier::test::is_planned;
using espalier::test::Neighbourly;
using espalier::test::neighbourly_calls;
using espalier::test::planned_calls;
using espalier::test::rank_in;
using espalier::test::Requests;
using espalier::test::size_of;
using espalier::test::state_of;
using espalier::test::Topology;
using espalier::test::Type;

bool plans_all(const Topology& topology) {
    using espalier::runtime::Process;
    using espalier::runtime::Settings;
    return topology.is_planned && is_planned(topology.comm) &&
           Process::current()->settings().planning == Settings::Planning::always;
}

void free(std::vector<Topology>& all) {
    for (Topology& each : all) MPI_Comm_free(&each.comm);
}

TEST(Neighbours, get_what_mpi_gives_them) {
    std::vector<Topology> all = all_topologies();
    const Type number(MPI_INT32_T);
    const Type holed = Type::holed();
    for (const Topology& topology : all)
        for (const Neighbourly* call : calls_that_work(plans_all(topology)))
            for (const Type* type : {&number, &holed})
                for (const int count : {0, 1, 5'000}) {
                    Data data(topology, count, 1, *type);
                    Data expected = data;
                    call->past(expected);
                    const std::uint64_t before = planned_calls(topology.comm);
                    call->call(data);
                    EXPECT_TRUE(data == expected)
                        << call->name << " " << topology.name << " " << count;
                    if (count == 0 || !plans_all(topology)) continue;
                    EXPECT_EQ(planned_calls(topology.comm), before + 1)
                        << call->name << " " << topology.name;
                }
    free(all);
}

TEST(Neighbours, stay_among_themselves) {
    std::vector<Topology> all = all_topologies();
    const Type number(MPI_INT32_T);
    for (const Topology& topology : all)
        expect_own_receive_untouched_by([&] {
            for (const Neighbourly* call : calls_that_work(plans_all(topology))) {
                Data data(topology, 33, 2, number);
                call->call(data);
            }
        });
    free(all);
}

TEST(Neighbours, get_the_same_of_calls_that_return_at_once) {
    std::vector<Topology> all = all_topologies();
    const Type number(MPI_INT32_T);
    for (const Topology& topology : all) {
        for (int round = 0; round < 3; ++round) {
            const bool may_begin = round > 0 && plans_all(topology) &&
                                   espalier::runtime::Process::current()->common().progresses;
            const std::uint64_t before = may_begin ? state_of(topology.comm).begun() : 0;
            const auto calls = calls_that_work(may_begin);
            std::vector<std::unique_ptr<Data>> data;
            std::vector<std::unique_ptr<Data>> expected;
            std::vector<MPI_Request> requests;
            for (const int count : {5, 700})
                for (const Neighbourly* call : calls) {
                    data.push_back(std::make_unique<Data>(topology, count, round, number));
                    expected.push_back(std::make_unique<Data>(*data.back()));
                    // Of a neighbour twice MPI's calls that wait give another order than these.
                    MPI_Request past = MPI_REQUEST_NULL;
                    call->begin_past(*expected.back(), &past);
                    MPI_Wait(&past, MPI_STATUS_IGNORE);
                    call->begin(*data.back(), &requests.emplace_back());
                }
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
            for (std::size_t k = 0; k < data.size(); ++k)
                EXPECT_TRUE(*data[k] == *expected[k])
                    << calls[k % calls.size()]->name << " " << topology.name << " " << round;
            if (may_begin) {
                EXPECT_EQ(state_of(topology.comm).begun() - before, data.size()) << topology.name;
            }
            MPI_Barrier(topology.comm);
        }
    }
    free(all);
}

bool is_ours(MPI_Request request) {
    auto* const process = espalier::runtime::Process::current();
    return process != nullptr && process->persistent_calls().find(request) != nullptr;
}

/// Starts all calls with two sizes three times, on other data each time.
void start_all_on(const Topology& topology, const Type& type, const Completion& complete) {
    std::vector<std::unique_ptr<Data>> data;
    std::vector<const Neighbourly*> calls;
    Requests requests;
    bool are_ours = true;
    for (const int count : {5, 700})
        for (const Neighbourly* call : calls_that_work(plans_all(topology))) {
            data.push_back(std::make_unique<Data>(topology, count, 0, type));
            calls.push_back(call);
            ASSERT_EQ(call->initialize(*data.back(), &requests.emplace_back()), MPI_SUCCESS);
            are_ours = are_ours && is_ours(requests.back());
        }
    const bool may_be = plans_all(topology) && topology.sources + topology.targets > 0 &&
                        espalier::runtime::Process::current()->common().progresses;
    if (may_be) {
        EXPECT_TRUE(are_ours) << topology.name;
    }
    // Some of MPI's own fail by themselves, with either library.
    for (int round = 0; are_ours && round < 3; ++round) {
        std::vector<Data> expected;
        for (std::size_t k = 0; k < data.size(); ++k) {
            const Data other(topology, data[k]->count, 10 + round, type);
            std::ranges::copy(other.in, data[k]->in.begin());
            std::ranges::copy(other.out, data[k]->out.begin());
            calls[k]->past(expected.emplace_back(*data[k]));
        }
        MPI_Startall(static_cast<int>(requests.size()), requests.data());
        Requests started = requests;
        complete(started);
        for (std::size_t k = 0; k < data.size(); ++k)
            EXPECT_TRUE(*data[k] == expected[k])
                << calls[k]->name << " " << topology.name << " " << round;
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
}

TEST(Neighbours, get_the_same_of_calls_that_are_started_again_however_they_are_completed) {
    std::vector<Topology> all = all_topologies();
    const Type number(MPI_INT32_T);
    for (const Topology& topology : all)
        for_each_way_to_complete(
            [&](const Completion& complete) { start_all_on(topology, number, complete); });
    free(all);
}

// The types of blocks need not last, nor has a block of nothing any.
TEST(Neighbours, types_of_nothing_need_not_be_and_others_may_be_freed) {
    Topology ring = grid("ring", {0}, {1}, true);
    const int rank = rank_in(ring.comm);
    const int size = size_of(ring.comm);
    if (plans_all(ring) && size > 2) {
        MPI_Datatype holed = MPI_DATATYPE_NULL;
        MPI_Type_vector(2, 1, 2, MPI_INT, &holed);
        MPI_Type_commit(&holed);
        const std::vector<int> sent{0, 1};
        const std::vector<int> received{2, 0};
        const std::vector<MPI_Aint> sent_at{1 << 20, 0};
        const std::vector<MPI_Aint> received_at{4, 1 << 20};
        const std::vector<MPI_Datatype> sent_as{MPI_INT, holed};
        const std::vector<MPI_Datatype> received_as{MPI_INT, MPI_INT};
        const std::vector<int> out{rank, -1, rank + 100};
        for (int round = 0; round < 2; ++round) {
            std::vector<int> in(4, -5);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Ineighbor_alltoallw(out.data(), sent.data(), sent_at.data(), sent_as.data(),
                                    in.data(), received.data(), received_at.data(),
                                    received_as.data(), ring.comm, &request);
            if (round == 1) MPI_Type_free(&holed);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            const int before = (rank + size - 1) % size;
            EXPECT_EQ(in, (std::vector<int>{-5, before, before + 100, -5}));
            MPI_Barrier(ring.comm);
        }
    }
    MPI_Comm_free(&ring.comm);
}

TEST(Neighbours, may_be_others_on_a_communicator_of_the_same_ranks) {
    std::vector<Topology> all = all_topologies();
    const Type number(MPI_INT32_T);
    for (const Topology& topology : all) {
        Data data(topology, 9, 4, number);
        neighbourly_calls[2].call(data);
        Topology copy = topology;
        MPI_Comm_dup(topology.comm, &copy.comm);
        Data again(copy, 9, 5, number);
        Data expected = again;
        neighbourly_calls[2].past(expected);
        neighbourly_calls[2].call(again);
        EXPECT_TRUE(again == expected) << topology.name;
        MPI_Comm_free(&copy.comm);
    }
    free(all);
}

TEST(Neighbours, random_graphs_have_them) {
    const int size = size_of(MPI_COMM_WORLD);
    const Type number(MPI_INT32_T);
    Random same(17);
    for (int round = 0; round < 12; ++round) {
        const auto all_ranks = static_cast<std::size_t>(size);
        std::vector<char> edges(all_ranks * all_ranks);
        const std::uint64_t one_in = 1 + same.below(4);
        for (char& edge : edges) edge = same.below(one_in) == 0 ? 1 : 0;
        Topology topology = directed("random", true, [&](int from, int to) {
            return edges[static_cast<std::size_t>(from) * all_ranks + static_cast<std::size_t>(to)];
        });
        for (int calls = 0; calls < 12; ++calls) {
            const auto all = calls_that_work(plans_all(topology));
            const Neighbourly* call = all[same.below(all.size())];
            Data data(topology, static_cast<int>(1 + same.below(2000)), calls, number);
            Data expected = data;
            call->past(expected);
            call->call(data);
            EXPECT_TRUE(data == expected) << call->name << " " << round;
        }
        MPI_Comm_free(&topology.comm);
    }
}

}  // namespace
