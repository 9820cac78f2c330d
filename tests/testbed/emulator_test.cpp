#include "core/random.hpp"
#include "testbed/emulated.hpp"
#include "testbed/wire.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace espalier::testbed {
namespace {

TEST(EmulatorTest, a_small_packet_takes_the_latency_and_its_time_on_each_queue) {
    const Topology topology = emulated_sites(4, 5e-3);
    Emulator emulator(topology, {});
    emulator.send(0, 2, tcp(10), 1'000);
    const auto arrival = next_arrival(emulator);
    ASSERT_TRUE(arrival);
    const double bytes = 10 + tcp_headers + ethernet_overhead;
    const double expected = 1'000 + 5e6 + bytes * 1e9 * (2 / fast + 2 / slow);
    EXPECT_NEAR(static_cast<double>(arrival->first), expected, 10);
    EXPECT_EQ(arrival->second.host, 2U);
    EXPECT_FALSE(next_arrival(emulator));
}

TEST(EmulatorTest, what_the_machine_adds_is_taken_off_the_latency_but_never_below_zero) {
    const Topology topology = emulated_sites(4, 5e-3);
    Emulator exact(topology, {});
    Emulator less(topology, {.busy = 60'000, .idle = 80'000});
    for (Emulator* const emulator : {&exact, &less}) {
        emulator->send(0, 2, tcp(10), 0);
        emulator->send(0, 1, tcp(10), 0);
    }
    const auto near = next_arrival(exact)->first;
    EXPECT_NEAR(static_cast<double>(near - next_arrival(less)->first), 50'000, 2);
    const auto far = next_arrival(exact)->first;
    EXPECT_NEAR(static_cast<double>(far - next_arrival(less)->first), 80'000, 2);
}

TEST(EmulatorTest, large_packets_pass_at_the_rate_of_the_slowest_queue) {
    const Topology topology = emulated_sites(4, 5e-3, 16 << 20);
    Emulator emulator(topology, {});
    constexpr int packets = 100;
    constexpr std::size_t payload = 40UL * 1448;
    for (int i = 0; i < packets; ++i) emulator.send(0, 2, tcp(payload), 0);
    Nanoseconds last = 0;
    std::size_t got = 0;
    while (const auto arrival = next_arrival(emulator)) {
        last = arrival->first;
        got += arrival->second.packet.size - packet_header - tcp_headers;
    }
    EXPECT_EQ(got, packets * payload);
    const double wire = packets * 40.0 * full_frame;
    // One frame's time on each of the others.
    const double expected = 5e6 + wire / slow * 1e9 + full_frame * 1e9 * (2 / fast + 1 / slow);
    EXPECT_NEAR(static_cast<double>(last), expected, expected * 1e-4);
}

TEST(EmulatorTest, two_senders_share_an_uplink_evenly) {
    const Topology topology = emulated_sites(4, 5e-3);
    Emulator emulator(topology, {});
    std::map<std::uint32_t, std::uint64_t> wire;
    constexpr Nanoseconds end = 2'000'000'000;
    // Each host has at most 128 KiB on its way, as a window would have it.
    std::map<std::uint32_t, int> under_way;
    const auto fill = [&](Nanoseconds time) {
        for (const std::uint32_t from : {0U, 1U})
            while (under_way[from + 2] < 20) {
                emulator.send(from, from + 2, tcp(4UL * 1448), time);
                ++under_way[from + 2];
            }
    };
    fill(0);
    while (const auto arrival = next_arrival(emulator)) {
        if (arrival->first > end) break;
        wire[arrival->second.host] += arrival->second.packet.wire;
        --under_way[arrival->second.host];
        fill(arrival->first);
    }
    EXPECT_EQ(emulator.lost(), 0U);
    const double both = static_cast<double>(wire[2] + wire[3]);
    EXPECT_NEAR(both, slow * 2, slow * 2 * 0.01);
    EXPECT_NEAR(static_cast<double>(wire[2]) / both, 0.5, 0.02);
}

TEST(EmulatorTest, a_full_queue_drops_but_a_card_makes_its_host_wait) {
    const Topology topology = emulated_sites(4, 5e-3, 64UL * 1024);
    Emulator emulator(topology, {});
    for (int i = 0; i < 40; ++i) emulator.send(0, 1, tcp(1448), 0);
    EXPECT_NEAR(static_cast<double>(emulator.ready_at(0)), 40 * full_frame * 1e9 / fast, 150e3);
    while (next_arrival(emulator)) {
    }
    EXPECT_EQ(emulator.lost(), 0U);

    std::uint64_t got = 0;
    for (int i = 0; i < 200; ++i) emulator.send(0, 2, tcp(1448), 1'000'000'000);
    while (const auto arrival = next_arrival(emulator)) got += arrival->second.packet.wire;
    EXPECT_GT(emulator.lost(), 0U);
    // While so much came in, the uplink sent a fifth of it, and kept what fits.
    const double sent = 200.0 * full_frame;
    EXPECT_NEAR(static_cast<double>(got), sent / 5 + 64 * 1024, 2 * full_frame);
}

TEST(EmulatorTest, a_host_without_a_card_of_its_own_never_waits) {
    Topology topology = emulated_sites(4, 5e-3);
    topology.paths(0, 1).before.clear();
    EXPECT_EQ(card_of(topology, 0), std::nullopt);
    EXPECT_EQ(card_of(topology, 1), 2U);
    Emulator emulator(topology, {});
    for (int i = 0; i < 100; ++i) emulator.send(0, 2, tcp(1448), 0);
    EXPECT_EQ(emulator.ready_at(0), 0);
}

/// The same network, frame by frame: every queue serves frames in the order in which they are in.
std::vector<double> last_frames(const Topology& topology,
                                const std::vector<std::tuple<Nanoseconds, int, int, int>>& sent) {
    struct Frame {
        std::size_t message;
        std::size_t stage = 0;
        double bytes = 0;
    };
    std::multimap<double, Frame> events;
    for (std::size_t i = 0; i < sent.size(); ++i)
        for (int f = 0; f < std::get<3>(sent[i]); ++f)
            events.emplace(static_cast<double>(std::get<0>(sent[i])),
                           Frame{i, 0, static_cast<double>(full_frame)});
    std::vector<double> free(topology.queues.size());
    std::vector<double> last(sent.size());
    while (!events.empty()) {
        auto [time, frame] = *events.begin();
        events.erase(events.begin());
        const auto& [at, from, to, frames] = sent[frame.message];
        const Path& path =
            topology.paths(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
        const std::size_t before = path.before.size();
        if (frame.stage == before + path.after.size()) {
            last[frame.message] = std::max(last[frame.message], time);
            continue;
        }
        const std::uint32_t queue =
            frame.stage < before ? path.before[frame.stage] : path.after[frame.stage - before];
        free[queue] =
            std::max(free[queue], time) + frame.bytes * 1e9 / topology.queues[queue].rate.value;
        ++frame.stage;
        events.emplace(free[queue] + (frame.stage == before ? path.latency.value * 1e9 : 0), frame);
    }
    return last;
}

TEST(EmulatorTest, a_message_alone_arrives_with_its_last_frame) {
    const Topology topology = emulated_sites(4, 5e-3);
    for (const int frames : {1, 2, 6, 7, 40}) {
        Emulator emulator(topology, {});
        emulator.send(0, 2, tcp(static_cast<std::size_t>(frames) * 1448), 0);
        Nanoseconds last = 0;
        while (const auto arrival = next_arrival(emulator)) last = arrival->first;
        EXPECT_NEAR(static_cast<double>(last), last_frames(topology, {{0, 0, 2, frames}}).front(),
                    100)
            << frames;
    }
}

TEST(EmulatorTest, messages_arrive_when_frames_of_their_own_would) {
    const Topology topology = emulated_sites(6, 5e-3, 64 << 20);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        std::vector<std::tuple<Nanoseconds, int, int, int>> sent;
        for (int i = 0; i < 40; ++i) {
            const int from = static_cast<int>(random.below(6));
            const int to = (from + 1 + static_cast<int>(random.below(5))) % 6;
            sent.emplace_back(static_cast<Nanoseconds>(random.below(30'000'000)), from, to,
                              1 + static_cast<int>(random.below(40)));
        }
        std::ranges::sort(sent);
        const std::vector<double> expected = last_frames(topology, sent);

        Emulator emulator(topology, {});
        std::vector<double> last(sent.size());
        std::map<std::pair<std::uint32_t, std::uint16_t>, std::size_t> message_of;
        std::size_t number = 0;
        Emulator::Arrival arrival{};
        const auto take_until = [&](Nanoseconds time) {
            while (emulator.next() <= time) {
                const Nanoseconds at = emulator.next();
                while (emulator.advance(at, arrival)) {
                    // The window field, which nobody reads, tells which message it is of.
                    const auto message =
                        get_at<std::uint16_t>(arrival.packet.data.get() + packet_header, 20 + 14);
                    last[message] = static_cast<double>(at);
                }
            }
        };
        for (const auto& [time, from, to, frames] : sent) {
            take_until(time);
            auto bytes = tcp_packet(static_cast<std::size_t>(frames) * 1448);
            put_at(bytes, packet_header + 20 + 14, static_cast<std::uint16_t>(number++));
            emulator.send(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
                          std::move(*packet_of(bytes)), time);
        }
        take_until(never - 1);
        // Pieces of a millisecond are not interleaved as frames are.
        for (std::size_t i = 0; i < sent.size(); ++i)
            EXPECT_NEAR(last[i], expected[i], 4e6) << "message " << i << " of seed " << seed;
        EXPECT_NEAR(*std::ranges::max_element(last), *std::ranges::max_element(expected), 1e6);
    }
}

}  // namespace
}  // namespace espalier::testbed
