#include "directory/time.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>

namespace espalier::directory {
namespace {

using std::chrono::microseconds;

Time at_tick(std::int64_t ticks) { return Time(microseconds(ticks)); }

TEST(Dates, are_read_as_utc) {
    EXPECT_EQ(parse_date("1970-01-01T00:00:00Z", "x"), Time());
    EXPECT_EQ(parse_date("2000-03-01T00:00:00Z", "x"), at_tick(951868800'000000));
    EXPECT_EQ(parse_date("2026-11-21", "x"), parse_date("2026-11-21T00:00:00Z", "x"));
    EXPECT_EQ(parse_date("2026-11-21T10:30Z", "x"), parse_date("2026-11-21T10:30:00Z", "x"));
    EXPECT_EQ(parse_date("1970-01-01T00:00:01.25Z", "x"), at_tick(1'250000));
    EXPECT_EQ(parse_date("1970-01-01T00:00:00.1234567Z", "x"), at_tick(123456));
}

TEST(Dates, come_back_as_they_were_written) {
    for (const std::int64_t ticks :
         {0LL, 1LL, 999999LL, 951868800'000000LL, 1795257000'250000LL, 253402300799'999999LL})
        EXPECT_EQ(parse_date(format_time(at_tick(ticks)), "x"), at_tick(ticks)) << ticks;
    EXPECT_EQ(format_time(at_tick(951868800'500000)), "2000-03-01T00:00:00.5Z");
}

TEST(Dates, that_are_none_are_refused) {
    for (const char* text :
         {"", "yesterday", "2026", "2026-13-01", "2026-02-29", "2026-11-21T", "2026-11-21T10:30",
          "2026-11-21T24:00:00Z", "2026-11-21T10:30:00", "2026-11-21T10:30:00Z ",
          "2026-11-21 10:30Z", "1969-12-31T23:59:59Z", "2026-11-21T10:30:00.Z", "26-11-21",
          "2026-1-2", "2026--1-02", "2026-11-21T10:30:61Z", "2026-11-21T10:30:00+01:00"})
        EXPECT_THROW((void)parse_date(text, "x"), InputError) << text;
}

TEST(Times, may_be_relative_to_the_present) {
    const Time present = parse_date("2026-11-21T10:30:00Z", "x");
    EXPECT_EQ(parse_time("now", "x", present), present);
    EXPECT_EQ(parse_time("-2h", "x", present), parse_date("2026-11-21T08:30:00Z", "x"));
    EXPECT_EQ(parse_time("-1d", "x", present), parse_date("2026-11-20T10:30:00Z", "x"));
    EXPECT_EQ(parse_time("-250ms", "x", present), parse_date("2026-11-21T10:29:59.75Z", "x"));
    EXPECT_EQ(parse_time("2026-11-01", "x", present), parse_date("2026-11-01", "x"));
    EXPECT_EQ(parse_time("-100000d", "x", present), Time());
    EXPECT_THROW((void)parse_time("2h", "x", present), InputError);
    EXPECT_THROW((void)parse_time("--2h", "x", present), InputError);
}

TEST(Ages, are_told_in_units_that_people_use) {
    EXPECT_EQ(format_age(Seconds(0)), "0 s");
    EXPECT_EQ(format_age(Seconds(90)), "1.5 min");
    EXPECT_EQ(format_age(Seconds(3600)), "1 h");
    EXPECT_EQ(format_age(Seconds(36 * 3600)), "1.5 d");
    EXPECT_EQ(format_age(Seconds(30 * 86400)), "30 d");
    EXPECT_EQ(format_age(Seconds(-5)), "-5 s");
}

}  // namespace
}  // namespace espalier::directory
