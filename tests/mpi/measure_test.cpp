#include "measure/measure.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "measure/channel.hpp"
#include "measure/remote_link.hpp"
#include "measure/streams.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <string>
#include <vector>

namespace espalier::measure {
namespace {

using ::testing::AllOf;
using ::testing::Gt;
using ::testing::Lt;

int world_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

std::string own_text(int rank, std::size_t length) {
    return std::to_string(rank) + std::string(length, 'x');
}

TEST(Channel, gathers_from_everybody_in_rank_order) {
    const Channel channel(MPI_COMM_WORLD);
    // Short ones, and some that take a second message.
    for (const std::size_t length : {0U, 10U, 5000U, 200000U}) {
        const auto all = channel.gather(own_text(channel.rank(), length));
        if (channel.rank() != 0) {
            EXPECT_TRUE(all.empty());
            continue;
        }
        ASSERT_EQ(all.size(), static_cast<std::size_t>(channel.size()));
        for (int rank = 0; rank < channel.size(); ++rank)
            EXPECT_EQ(all[static_cast<std::size_t>(rank)], own_text(rank, length));
    }
}

TEST(Channel, broadcasts_and_scatters_straight_and_by_way_of_others) {
    Channel channel(MPI_COMM_WORLD);
    std::vector<std::vector<int>> pairs;
    for (int rank = 0; rank < channel.size(); ++rank) {
        if (rank % 2 == 0) pairs.emplace_back();
        pairs.back().push_back(rank);
    }
    for (const bool by_others : {false, true}) {
        if (by_others) channel.speak_by(pairs);
        for (const std::size_t length : {0U, 5000U, 200000U}) {
            const std::string told = channel.rank() == 0 ? own_text(0, length) : "";
            EXPECT_EQ(channel.broadcast(told), own_text(0, length));
            std::vector<std::string> parts;
            for (int rank = 0; channel.rank() == 0 && rank < channel.size(); ++rank)
                parts.push_back(own_text(rank, length));
            EXPECT_EQ(channel.scatter(parts), own_text(channel.rank(), length));
            const std::vector<std::string> all = channel.gather(own_text(channel.rank(), length));
            if (channel.rank() == 0) {
                EXPECT_EQ(all, parts);
            }
        }
    }
}

TEST(RemoteLink, answers_every_probe) {
    const Channel channel(MPI_COMM_WORLD);
    if (channel.size() < 2) GTEST_SKIP() << "needs two ranks";
    if (channel.rank() == 1) serve(channel, 0);
    if (channel.rank() != 0) return;
    MPI_Request begun = expect_service(channel, 1);
    channel.wait_idly(begun);
    const double began = channel.now();
    RemoteLink link(channel, 1, 0.05);
    const auto answers = link.fire(std::vector<Probe>{{1, 3, 1e-3}, {100000, 2, 2e-3}, {64, 1, 0}});
    ASSERT_EQ(answers.size(), 3U);
    for (const auto& answer : answers) {
        EXPECT_GE(answer.started, began);
        EXPECT_GT(answer.elapsed, 0);
    }
    EXPECT_GE(answers[1].started - answers[0].started, 0.999e-3);
}

TEST(Streams, all_run_at_once_and_each_ends_where_it_is_received) {
    const Channel channel(MPI_COMM_WORLD);
    const int size = channel.size();
    if (size < 2) GTEST_SKIP() << "needs two ranks";
    // Round in a circle, and one more that shares its ends with another.
    JobMap job;
    job.clusters.emplace_back();
    job.round_trips = Matrix<double>(1, 1, 0);
    const auto hosts = static_cast<std::size_t>(size);
    for (std::size_t host = 0; host < hosts; ++host) {
        job.ranks_of_host.push_back({static_cast<int>(host)});
        job.host_of_rank.push_back(host);
        job.clusters[0].push_back(host);
    }
    StreamRound round{{}, 0, 0.01, 0.03, 2, 0.01};
    for (std::size_t host = 0; host < hosts; ++host)
        round.streams.push_back({{host, (host + 1) % hosts}, 1024, 4096, 2, 8, 2});
    round.streams.push_back({{0, 1}, 1024, 1024, 1, 1, 1});
    StreamRound later = round;
    later.begins = 0.1;
    TrainPort trains;
    const auto player = make_stream_player(channel, job, trains);
    for (int repeat = 0; repeat < 3; ++repeat) {
        const double ordered = channel.now();
        const std::vector<StreamRound> rounds{round, later};
        const auto told = channel.gather(player->play(rounds));
        EXPECT_GE(channel.now() - ordered, 0.14);
        if (channel.rank() == 0) {
            const std::vector<RoundWindows> found = read_rounds(job, rounds, told);
            ASSERT_EQ(found.size(), 2U);
            for (const RoundWindows& rates : found) {
                ASSERT_EQ(rates.size(), hosts + 1);
                for (const std::vector<double>& windows : rates) EXPECT_EQ(windows.size(), 2U);
            }
        }
    }
    player->finish();
    int flag = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, channel.comm(), &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0) << "something was sent that nobody waited for";
}

TEST(Measure, gives_every_rank_the_same_network_in_time) {
    Options options;
    options.budget = Seconds(4);
    const double began = MPI_Wtime();
    const network::Network network = measure_network(MPI_COMM_WORLD, options);
    EXPECT_LE(MPI_Wtime() - began, 4.5);

    std::string text = network::to_json(network).dump();
    unsigned long length = text.size();
    MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    std::string first = text;
    first.resize(length);
    MPI_Bcast(first.data(), static_cast<int>(length), MPI_BYTE, 0, MPI_COMM_WORLD);
    EXPECT_EQ(text, first);

    const auto* grid = network.grid();
    ASSERT_NE(grid, nullptr);
    EXPECT_EQ(network.measured().at("ranks"), world_size());
    for (std::size_t i = 0; i < grid->size(); ++i)
        for (std::size_t j = 0; j < grid->size(); ++j)
            EXPECT_EQ(grid->links(i, j).has_value(), i != j);
#ifdef ESPALIER_MPI_SMPI
    // Each rank has a host of its own in the one cluster of the first eight.
    ASSERT_EQ(grid->size(), 1U);
    EXPECT_EQ(grid->clusters[0].size, static_cast<std::size_t>(world_size()));
    EXPECT_EQ(grid->clusters[0].local() != nullptr, world_size() > 1);
#else
    ASSERT_EQ(grid->size(), 1U);
    EXPECT_EQ(grid->clusters[0].size, 1U);
    EXPECT_EQ(grid->clusters[0].within_node.has_value(), world_size() > 1);
#endif
}

TEST(Measure, finds_how_fast_hosts_compute) {
    Options options;
    options.budget = Seconds(2);
    options.compute = true;
    const network::Network network = measure_network(MPI_COMM_WORLD, options);
    const auto* grid = network.grid();
    ASSERT_NE(grid, nullptr);
    for (const auto& cluster : grid->clusters) {
        ASSERT_EQ(cluster.cycle_times.size(), cluster.size);
#ifdef ESPALIER_MPI_SMPI
        for (const double time : cluster.cycle_times) EXPECT_NEAR(time, 1e-9, 1e-13);
#else
        for (const double time : cluster.cycle_times) EXPECT_THAT(time, AllOf(Gt(1e-12), Lt(1e-5)));
#endif
    }
    EXPECT_TRUE(network.measured().contains("compute"));
}

TEST(Measure, tells_every_rank_that_there_is_no_such_kernel) {
    Options options;
    options.budget = Seconds(1);
    options.compute = true;
    options.kernel = "/nowhere/kernel.so";
    EXPECT_THROW((void)measure_network(MPI_COMM_WORLD, options), InputError);
}

TEST(Measure, leaves_the_programs_own_messages_alone) {
    // A wildcard receive posted before must not catch any of ours.
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char caught = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&caught, 1, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    Options options;
    options.budget = Seconds(1);
    (void)measure_network(MPI_COMM_WORLD, options);
    const char sent = 'y';
    MPI_Request own = MPI_REQUEST_NULL;
    MPI_Isend(&sent, 1, MPI_BYTE, (rank + 1) % world_size(), 77, MPI_COMM_WORLD, &own);
    MPI_Status status;
    MPI_Wait(&request, &status);
    MPI_Wait(&own, MPI_STATUS_IGNORE);
    EXPECT_EQ(caught, 'y');
    EXPECT_EQ(status.MPI_TAG, 77);
}

TEST(Measure, leaves_no_message_behind_on_a_communicator_that_is_used_again) {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    int rank = 0;
    MPI_Comm_rank(own, &rank);
    Options options;
    options.budget = Seconds(2);
    options.is_own = true;
    options.host = "host" + std::to_string(rank);
    const network::Network network = measure_network(own, options);
    EXPECT_EQ(network.measured().at("ranks"), world_size());
    const Channel channel(own, {}, true);
    MPI_Barrier(MPI_COMM_WORLD);
    channel.pause_until(channel.now() + 0.05);
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0) << "something was sent that nobody waited for";
    MPI_Comm_free(&own);
}

TEST(Measure, rejects_a_budget_and_a_tolerance_that_make_no_sense) {
    Options options;
    options.budget = Seconds(0);
    EXPECT_THROW((void)measure_network(MPI_COMM_WORLD, options), InputError);
    options.budget = Seconds(1);
    options.tolerance = -1;
    EXPECT_THROW((void)measure_network(MPI_COMM_WORLD, options), InputError);
}

}  // namespace
}  // namespace espalier::measure
