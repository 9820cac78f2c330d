#include "core/statistics.hpp"
#include "testbed/emulated.hpp"
#include "testbed/wire.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace espalier::testbed {
namespace {

constexpr std::uint32_t uplink = 8;  // of four hosts
constexpr double latency = 5e6;      // ns
constexpr double frame = full_frame;
constexpr std::size_t marked_at = packet_header + 20 + 14;  // the window, which nobody reads

Packet marked(std::uint16_t mark, std::size_t payload = 1448) {
    auto bytes = tcp_packet(payload);
    put_at(bytes, marked_at, mark);
    return std::move(*packet_of(bytes));
}

struct Got {
    double at;
    std::uint16_t mark;
    std::uint32_t wire;
};

/// All that arrives until then.
std::vector<Got> arrivals(Emulator& emulator, Nanoseconds until = never - 1) {
    std::vector<Got> got;
    Emulator::Arrival arrival{};
    while (emulator.next() <= until) {
        const Nanoseconds at = emulator.next();
        while (emulator.advance(at, arrival))
            got.push_back({static_cast<double>(at),
                           get_at<std::uint16_t>(arrival.packet.data.get(), marked_at),
                           arrival.packet.wire});
    }
    while (emulator.advance(until, arrival)) ADD_FAILURE() << "something came without a wake";
    return got;
}

std::vector<std::uint16_t> marks(const std::vector<Got>& all) {
    std::vector<std::uint16_t> marks;
    for (const Got& got : all) marks.push_back(got.mark);
    return marks;
}

Change of_uplink() { return {.queues = {uplink}}; }
Change of_path() { return {.paths = {{0, 2}}}; }

/// What a frame takes that meets nobody but the uplink.
double beyond_uplink() { return latency + frame * 1e9 * (1 / slow + 1 / fast); }

class EmulatorChange : public ::testing::Test {
protected:
    /// Puts a packet every so often on the path from 0 to 2, from `begin` on. When each left, by
    /// mark.
    std::vector<double> send(int packets, double interval, Nanoseconds begin = 0,
                             std::size_t payload = 1448) {
        std::vector<double> sent;
        for (int i = 0; i < packets; ++i) {
            const auto at = begin + static_cast<Nanoseconds>(i * interval);
            std::ranges::copy(arrivals(emulator, at), std::back_inserter(got));
            emulator.send(0, 2, marked(static_cast<std::uint16_t>(i), payload), at);
            sent.push_back(static_cast<double>(at));
        }
        return sent;
    }
    void finish() { std::ranges::copy(arrivals(emulator), std::back_inserter(got)); }
    void change(const Change& change, Nanoseconds at) {
        std::ranges::copy(arrivals(emulator, at), std::back_inserter(got));
        emulator.change({change}, described, at);
    }

    const Topology described = emulated_sites(4, latency * 1e-9, 64 << 20);
    Emulator emulator{described, {}};
    std::vector<Got> got;
};

TEST_F(EmulatorChange, what_is_in_a_queue_leaves_at_a_lower_rate_from_then_on) {
    (void)send(400, 0);
    Change change = of_uplink();
    change.rate = BytesPerSecond(slow / 4);
    constexpr Nanoseconds when = 20'000'000;
    this->change(change, when);
    finish();
    const double until_then = (static_cast<double>(when) * 1e-9 - frame / fast) * slow;
    const double rest = 400 * frame - until_then;
    EXPECT_NEAR(got.back().at,
                static_cast<double>(when) + rest / (slow / 4) * 1e9 + beyond_uplink(), 1e3);
    EXPECT_EQ(got.size(), 400U);
    EXPECT_TRUE(std::ranges::is_sorted(marks(got)));
}

TEST_F(EmulatorChange, what_is_in_a_queue_leaves_at_a_higher_rate_and_holds_up_nobody) {
    Change change = of_uplink();
    change.rate = BytesPerSecond(slow / 100);
    this->change(change, 0);
    (void)send(40, 0);
    constexpr Nanoseconds when = 100'000'000;
    change.rate = BytesPerSecond(slow / 2);
    this->change(change, when);
    emulator.send(0, 2, marked(40), when);
    finish();
    const double until_then = (static_cast<double>(when) * 1e-9 - frame / fast) * slow / 100;
    const double rest = 41 * frame - until_then;
    EXPECT_EQ(got.back().mark, 40);
    EXPECT_NEAR(got.back().at,
                static_cast<double>(when) + rest / (slow / 2) * 1e9 + beyond_uplink(), 2e3);
}

TEST_F(EmulatorChange, a_card_that_changes_has_its_host_wait_as_long) {
    (void)send(40, 0);
    Change change{.queues = {0}};
    change.rate = BytesPerSecond(fast / 10);
    this->change(change, 0);
    EXPECT_NEAR(static_cast<double>(emulator.ready_at(0)), 40 * frame * 1e10 / fast, 150e3);
}

TEST_F(EmulatorChange, nothing_changes_with_a_change_to_what_is) {
    Emulator other{described, {}};
    Change same = of_uplink();
    same.rate = BytesPerSecond(slow);
    Change reset = reset_of(described);
    for (int i = 0; i < 200; ++i) {
        const Nanoseconds at = i * 300'000;
        std::ranges::copy(arrivals(emulator, at), std::back_inserter(got));
        emulator.change({same, reset}, described, at);
        emulator.send(0, 2, marked(static_cast<std::uint16_t>(i), 4UL * 1448), at);
    }
    finish();
    std::vector<Got> expected;
    for (int i = 0; i < 200; ++i) {
        std::ranges::copy(arrivals(other, i * 300'000), std::back_inserter(expected));
        other.send(0, 2, marked(static_cast<std::uint16_t>(i), 4UL * 1448), i * 300'000);
    }
    std::ranges::copy(arrivals(other), std::back_inserter(expected));
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_DOUBLE_EQ(got[i].at, expected[i].at);
}

TEST_F(EmulatorChange, a_lower_latency_is_that_of_what_leaves_then_and_reorders_nothing) {
    (void)send(10, 500e3);
    Change change = of_path();
    change.latency = Seconds(1e-3);
    this->change(change, 5'000'000);
    const auto sent = send(20, 500e3, 5'000'000);
    finish();
    ASSERT_EQ(got.size(), 30U);
    const auto later = std::vector(got.begin() + 10, got.end());
    EXPECT_TRUE(std::ranges::is_sorted(marks(later)));
    const double others = frame * 1e9 * 2 * (1 / slow + 1 / fast);
    EXPECT_NEAR(got[9].at, 9 * 500e3 + latency + others, 10);
    // Those that catch up arrive with the last one before them, the downlink's time apart.
    EXPECT_NEAR(later[0].at, got[9].at + frame * 1e9 / slow, 10);
    EXPECT_NEAR(later[19].at, sent[19] + 1e6 + others, 10);
}

TEST_F(EmulatorChange, what_waits_in_a_queue_has_the_new_latency) {
    (void)send(100, 0);  // the last leaves the uplink after 15 ms
    Change change = of_path();
    change.latency = Seconds(20e-3);
    this->change(change, 1'000'000);
    finish();
    EXPECT_NEAR(got.back().at,
                100 * frame * 1e9 / slow + frame * 1e9 / fast + 15e6 + beyond_uplink(), 10);
}

TEST_F(EmulatorChange, jitter_is_uniform_and_keeps_the_order) {
    Change change = of_path();
    change.jitter = Seconds(2e-3);
    this->change(change, 0);
    const auto sent = send(4000, 5e6, 0);
    finish();
    ASSERT_EQ(got.size(), 4000U);
    std::vector<double> later;
    const double least = latency + frame * 1e9 * 2 * (1 / slow + 1 / fast);
    for (std::size_t i = 0; i < got.size(); ++i) later.push_back(got[i].at - sent[i] - least);
    EXPECT_GE(*std::ranges::min_element(later), -1);
    EXPECT_LE(*std::ranges::max_element(later), 2e6 + 1);
    for (const double part : {10.0, 50.0, 90.0})
        EXPECT_NEAR(percentile(later, part), part * 2e4, 0.1e6);

    got.clear();
    (void)send(4000, 200e3, 40'000'000'000);
    finish();
    EXPECT_EQ(got.size(), 4000U);
    EXPECT_TRUE(std::ranges::is_sorted(marks(got)));
}

TEST_F(EmulatorChange, each_frame_of_a_path_is_lost_with_the_same_probability) {
    Change change = of_path();
    change.loss = 0.02;
    std::vector<std::uint16_t> first;
    for (const Nanoseconds begin : {Nanoseconds(0), Nanoseconds(100'000'000'000)}) {
        got.clear();
        this->change(change, begin);
        (void)send(20000, 300e3, begin);
        finish();
        EXPECT_NEAR(static_cast<double>(got.size()), 19600, 4 * std::sqrt(400));
        if (begin == 0)
            first = marks(got);
        else
            EXPECT_EQ(marks(got), first) << "another time, others are lost";
    }
    got.clear();
    (void)send(1000, 7e6, 200'000'000'000, 40UL * 1448);
    finish();
    double bytes = 0;
    for (const Got& alone : got) {
        EXPECT_EQ(alone.wire, full_frame);
        bytes += alone.wire;
    }
    EXPECT_NEAR(bytes / (40'000 * frame), 0.98, 4 * std::sqrt(0.0196 / 40'000));
}

TEST_F(EmulatorChange, a_queue_loses_frames_of_every_path) {
    Change change = of_uplink();
    change.loss = 0.1;
    this->change(change, 0);
    (void)send(5000, 300e3);
    finish();
    EXPECT_NEAR(static_cast<double>(got.size()), 4500, 4 * std::sqrt(450));
    Change card{.queues = {0}};
    card.loss = 1;
    this->change(card, 2'000'000'000);
    got.clear();
    (void)send(10, 300e3, 2'000'000'000);
    finish();
    EXPECT_TRUE(got.empty());
}

TEST_F(EmulatorChange, others_make_a_packet_wait_as_long_as_in_an_m_d_1_queue) {
    Change change = of_uplink();
    change.cross = BytesPerSecond(0.6 * slow);
    this->change(change, 0);
    const auto sent = send(20000, 20e6, 7'000'000);
    finish();
    ASSERT_EQ(got.size(), sent.size());
    double waited = 0;
    for (std::size_t i = 0; i < got.size(); ++i) waited += got[i].at - sent[i];
    const double alone = latency + frame * 1e9 * 2 * (1 / slow + 1 / fast);
    // Pollaczek and Khinchine: rho / (2 (1 - rho)) times what a frame takes.
    EXPECT_NEAR(waited / static_cast<double>(sent.size()) - alone, 0.75 * frame * 1e9 / slow, 6e3);
}

TEST_F(EmulatorChange, others_take_their_share_of_a_rate) {
    Change change = of_uplink();
    change.cross = BytesPerSecond(0.6 * slow);
    this->change(change, 0);
    double wire = 0;
    int under_way = 0;
    while (true) {
        const Nanoseconds at = under_way == 0 ? 0 : emulator.next();
        Emulator::Arrival arrival{};
        while (emulator.advance(at, arrival)) {
            wire += arrival.packet.wire;
            --under_way;
        }
        if (at > 5'000'000'000) break;
        for (; under_way < 100; ++under_way) emulator.send(0, 2, tcp(4UL * 1448), at);
    }
    EXPECT_NEAR(wire, 0.4 * slow * 5, 0.03 * slow * 5);
}

TEST(EmulatorCross, others_fill_the_buffer_of_a_queue_that_is_too_slow_for_them) {
    constexpr std::uint64_t buffer = 100'000;
    const Topology described = emulated_sites(4, latency * 1e-9, buffer);
    Emulator emulator(described, {});
    Change change = of_uplink();
    change.cross = BytesPerSecond(2 * slow);
    emulator.change({change}, described, 0);
    // After a pause that is not made up whole.
    constexpr Nanoseconds begin = 3'600'000'000'000;
    std::vector<double> later;
    for (int i = 0; i < 4000; ++i) {
        const Nanoseconds at = begin + i * 30'000'000LL;
        (void)arrivals(emulator, at);
        emulator.send(0, 2, marked(0), at);
        for (const Got& got : arrivals(emulator, at + 29'999'999))
            later.push_back(got.at - static_cast<double>(at));
    }
    EXPECT_NEAR(static_cast<double>(emulator.lost()), 2000, 200);
    EXPECT_NEAR(percentile(later, 50), buffer / slow * 1e9 + beyond_uplink(), 0.3e6);
}

}  // namespace
}  // namespace espalier::testbed
