#include "measure/method/notes.hpp"

#include <gmock/gmock.h>

namespace espalier::measure {
namespace {

using ::testing::ElementsAre;

Notes notes_of_two() {
    Notes notes;
    Findings& found = notes.found;
    found.hosts = {{"a.site.org", {0, 1}}, {"b", {2}}};
    found.latencies = LatencyMatrix(2);
    found.latencies.at(0, 1) = 1e-3;
    found.asymmetry = Asymmetry(2);
    found.asymmetry.at(0, 1) = 2e-4;
    found.clusters = {{0}, {1}};
    found.surveys.push_back({LinkKind::between, 0, 1, {.points = {{.bytes = 64, .gap = 1e-6}}}});
    found.eager = 65536;
    found.message_time = Seconds(8e-6);
    found.noisy = true;
    found.taken = Seconds(2.5);
    notes.rounds.push_back({{{{0, 1, 0, 1}}, StreamKind::flood, false, true}, {{1e6, 2e6}}});
    notes.times = 3;
    return notes;
}

std::string packed(const Notes& notes) {
    return pack_notes(notes.found, notes.rounds, notes.times);
}

const std::vector<std::string> hosts{"a.site.org", "b"};

TEST(Notes, say_all_that_they_were_told) {
    const Notes before = notes_of_two();
    const auto after = unpack_notes(packed(before), hosts);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->found.latencies(0, 1), before.found.latencies(0, 1));
    EXPECT_EQ(after->found.latencies(1, 0), before.found.latencies(0, 1));
    EXPECT_EQ(after->found.asymmetry(0, 1), before.found.asymmetry(0, 1));
    EXPECT_EQ(after->found.clusters, before.found.clusters);
    ASSERT_EQ(after->found.surveys.size(), 1U);
    EXPECT_EQ(after->found.surveys[0].kind, LinkKind::between);
    EXPECT_EQ(after->found.surveys[0].costs.points[0].bytes, 64U);
    EXPECT_EQ(after->found.eager, before.found.eager);
    EXPECT_EQ(after->found.message_time.value, before.found.message_time.value);
    EXPECT_TRUE(after->found.noisy);
    EXPECT_EQ(after->found.taken.value, before.found.taken.value);
    EXPECT_EQ(after->times, before.times);
    ASSERT_EQ(after->rounds.size(), 1U);
    EXPECT_EQ(after->rounds[0].planned.ends[0].to_cluster, 1U);
    EXPECT_EQ(after->rounds[0].planned.kind, StreamKind::flood);
    EXPECT_TRUE(after->rounds[0].planned.in_pairs);
    EXPECT_THAT(after->rounds[0].rates, ElementsAre(ElementsAre(1e6, 2e6)));
}

TEST(Notes, of_other_hosts_are_none) {
    const std::string bytes = packed(notes_of_two());
    EXPECT_FALSE(unpack_notes(bytes, {"a.site.org"}));
    EXPECT_FALSE(unpack_notes(bytes, {"b", "a.site.org"}));
    EXPECT_FALSE(unpack_notes(bytes, {"a.site.org", "b", "c"}));
}

TEST(Notes, that_are_damaged_are_none) {
    const std::string bytes = packed(notes_of_two());
    for (std::size_t length = 0; length < bytes.size(); length += 7)
        EXPECT_FALSE(unpack_notes(bytes.substr(0, length), hosts)) << length;
    for (std::size_t place = 0; place < bytes.size(); place += 5) {
        std::string changed = bytes;
        changed[place] = static_cast<char>(changed[place] ^ 1);
        EXPECT_FALSE(unpack_notes(changed, hosts)) << place;
    }
}

}  // namespace
}  // namespace espalier::measure
