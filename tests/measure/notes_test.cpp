#include "measure/method/notes.hpp"

#include <gmock/gmock.h>

namespace espalier::measure {
namespace {

using ::testing::ElementsAre;

Notes notes_of_two() {
    Notes notes;
    notes.hosts = {"a.site.org", "b"};
    notes.latencies = LatencyMatrix(2);
    notes.latencies.at(0, 1) = 1e-3;
    notes.clusters = {{0}, {1}};
    notes.surveys.push_back({LinkKind::between, 0, 1, {.points = {{.bytes = 64, .gap = 1e-6}}}});
    notes.eager = 65536;
    notes.message_time = 8e-6;
    notes.noisy = true;
    notes.rounds.push_back({{{{0, 1, 0, 1}}, StreamKind::flood, false, true}, {{1e6, 2e6}}});
    notes.taken = 2.5;
    notes.times = 3;
    return notes;
}

TEST(Notes, say_all_that_they_were_told) {
    const Notes before = notes_of_two();
    const auto after = unpack_notes(pack(before), before.hosts);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->latencies(0, 1), before.latencies(0, 1));
    EXPECT_EQ(after->latencies(1, 0), before.latencies(0, 1));
    EXPECT_EQ(after->clusters, before.clusters);
    ASSERT_EQ(after->surveys.size(), 1U);
    EXPECT_EQ(after->surveys[0].kind, LinkKind::between);
    EXPECT_EQ(after->surveys[0].costs.points[0].bytes, 64U);
    EXPECT_EQ(after->eager, before.eager);
    EXPECT_EQ(after->message_time, before.message_time);
    EXPECT_TRUE(after->noisy);
    EXPECT_EQ(after->taken, before.taken);
    EXPECT_EQ(after->times, before.times);
    ASSERT_EQ(after->rounds.size(), 1U);
    EXPECT_EQ(after->rounds[0].planned.ends[0].to_cluster, 1U);
    EXPECT_EQ(after->rounds[0].planned.kind, StreamKind::flood);
    EXPECT_TRUE(after->rounds[0].planned.in_pairs);
    EXPECT_THAT(after->rounds[0].rates, ElementsAre(ElementsAre(1e6, 2e6)));
}

TEST(Notes, of_other_hosts_are_none) {
    const std::string bytes = pack(notes_of_two());
    EXPECT_FALSE(unpack_notes(bytes, {"a.site.org"}));
    EXPECT_FALSE(unpack_notes(bytes, {"b", "a.site.org"}));
    EXPECT_FALSE(unpack_notes(bytes, {"a.site.org", "b", "c"}));
}

TEST(Notes, that_are_damaged_are_none) {
    const Notes notes = notes_of_two();
    const std::string bytes = pack(notes);
    for (std::size_t length = 0; length < bytes.size(); length += 7)
        EXPECT_FALSE(unpack_notes(bytes.substr(0, length), notes.hosts)) << length;
    for (std::size_t place = 0; place < bytes.size(); place += 5) {
        std::string changed = bytes;
        changed[place] = static_cast<char>(changed[place] ^ 1);
        EXPECT_FALSE(unpack_notes(changed, notes.hosts)) << place;
    }
}

}  // namespace
}  // namespace espalier::measure
