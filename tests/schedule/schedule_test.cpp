#include "schedule/schedule.hpp"

#include "schedule/timeline.hpp"
#include "support/hand_schedules.hpp"

#include <gtest/gtest.h>

namespace espalier::schedule {
namespace {

TEST(Collective, names_lead_back_to_their_kinds) {
    for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::scatter,
                            Kind::gather, Kind::allgather, Kind::reduce_scatter, Kind::alltoall,
                            Kind::barrier, Kind::scan, Kind::exscan}) {
        EXPECT_FALSE(name_of(kind).empty());
        EXPECT_EQ(find_kind(name_of(kind)), kind);
    }
    EXPECT_EQ(find_kind("broadkast"), std::nullopt);
    EXPECT_EQ(find_kind(""), std::nullopt);
}

TEST(Collective, segments_are_alike_but_the_last) {
    for (std::uint64_t bytes = 0; bytes < 40; ++bytes)
        for (std::size_t segments = 1; segments < 12; ++segments) {
            std::uint64_t total = 0;
            for (std::size_t s = 0; s < segments; ++s) {
                const auto size = segment_bytes(Bytes(bytes), segments, s).value;
                ASSERT_EQ(segment_offset(Bytes(bytes), segments, s), total);
                ASSERT_LE(size, (bytes + segments - 1) / segments);
                total += size;
            }
            ASSERT_EQ(total, bytes);
            ASSERT_EQ(segment_bytes(Bytes(bytes), segments, 0).value,
                      (bytes + segments - 1) / segments);
        }
}

TEST(Ports, read_what_they_write) {
    for (const Ports ports : {Ports{Ports::Duplex::half, 1}, Ports{Ports::Duplex::full, 1},
                              Ports{Ports::Duplex::full, 4}})
        EXPECT_EQ(parse_ports(to_string(ports)), ports);
    EXPECT_EQ(to_string(Ports{Ports::Duplex::full, 4}), "4-port");
    for (const auto* bad : {"", "duplex", "-port", "0-port", "-1-port", "4 -port", "4-ports"})
        EXPECT_EQ(parse_ports(bad), std::nullopt) << bad;
}

TEST(Schedule, a_transfer_is_cut_as_its_chunk_is_unless_it_says_otherwise) {
    Schedule schedule = espalier::test::scatter();
    schedule.chunks[1].segments = 4;
    EXPECT_EQ(schedule.segments_of(schedule.transfers[1]), 4U);
    schedule.transfers[1].segments = 2;
    EXPECT_EQ(schedule.segments_of(schedule.transfers[1]), 2U);
    schedule.chunks[2].segments = 4;
    EXPECT_EQ(schedule.segments_of(schedule.transfers[0]), 1U) << "several chunks, one message";
    EXPECT_EQ(schedule.bytes_of(schedule.transfers[0]), Bytes(200));
    EXPECT_EQ(schedule.bytes_of(schedule.transfers[1]), Bytes(100));
}

TEST(Group, counts_its_leaves) {
    const Group site{"site", {{"x", {{"x0", {}}, {"x1", {}}}}, {"y", {}}}};
    EXPECT_EQ(site.ranks(), 3U);
    EXPECT_EQ((Group{"rank", {}}).ranks(), 1U);
}

TEST(Timeline, bounds_say_what_they_bound) {
    EXPECT_EQ(name_of(BoundScope::whole_message), "whole-message");
    EXPECT_EQ(name_of(BoundScope::any), "any");
}

}  // namespace
}  // namespace espalier::schedule
