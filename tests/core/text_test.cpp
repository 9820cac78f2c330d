#include "core/text.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>

namespace espalier {
namespace {

using ::testing::StartsWith;

TEST(Text, reads_sizes) {
    EXPECT_EQ(parse_bytes("512", "--bytes"), Bytes(512));
    EXPECT_EQ(parse_bytes("0", "--bytes"), Bytes(0));
    EXPECT_EQ(parse_bytes("64KiB", "--bytes"), Bytes(65536));
    EXPECT_EQ(parse_bytes("4MB", "--bytes"), Bytes(4000000));
    EXPECT_EQ(parse_bytes("1.5GiB", "--bytes"), Bytes(1610612736));
    EXPECT_EQ(parse_bytes("2 kB", "--bytes"), Bytes(2000));
    for (const auto* bad :
         {"", "B", "-1", "1.5", "0.1KiB", "64kib", "64KiBs", "nan", "inf", "1e30", "0x10", " 1"})
        try {
            static_cast<void>(parse_bytes(bad, "--bytes"));
            ADD_FAILURE() << "'" << bad << "' was read";
        } catch (const InputError& fault) {
            EXPECT_THAT(fault.what(), StartsWith("--bytes: '"));
        }
}

TEST(Text, reads_rates) {
    EXPECT_DOUBLE_EQ(parse_rate("246kbps", "--bandwidth").value, 30750);
    EXPECT_DOUBLE_EQ(parse_rate("4976 kbit/s", "--bandwidth").value, 622000);
    EXPECT_DOUBLE_EQ(parse_rate("8bps", "--bandwidth").value, 1);
    EXPECT_DOUBLE_EQ(parse_rate("10Mbps", "--bandwidth").value, 1.25e6);
    EXPECT_DOUBLE_EQ(parse_rate("1Gbit/s", "--bandwidth").value, 1.25e8);
    EXPECT_DOUBLE_EQ(parse_rate("1.2GB/s", "--bandwidth").value, 1.2e9);
    EXPECT_DOUBLE_EQ(parse_rate("7kBps", "--bandwidth").value, 7000);
    EXPECT_DOUBLE_EQ(parse_rate("2MiB/s", "--bandwidth").value, 2097152);
    for (const auto* bad :
         {"", "10", "bps", "-1bps", "1kibps", "1MiBps", "nanbps", "infbps", "1 m/s"})
        EXPECT_THROW(static_cast<void>(parse_rate(bad, "--bandwidth")), InputError) << bad;
}

TEST(Text, reads_times) {
    EXPECT_DOUBLE_EQ(parse_seconds("10ms", "--budget").value, 0.01);
    EXPECT_DOUBLE_EQ(parse_seconds("2s", "--budget").value, 2);
    EXPECT_DOUBLE_EQ(parse_seconds("47us", "--budget").value, 47e-6);
    EXPECT_DOUBLE_EQ(parse_seconds("3ns", "--budget").value, 3e-9);
    EXPECT_DOUBLE_EQ(parse_seconds("1.5min", "--budget").value, 90);
    EXPECT_DOUBLE_EQ(parse_seconds("6h", "--budget").value, 21600);
    EXPECT_DOUBLE_EQ(parse_seconds("7d", "--budget").value, 604800);
    EXPECT_DOUBLE_EQ(parse_seconds("0.25", "--budget").value, 0.25);
    for (const auto* bad : {"", "s", "-1s", "1y", "nan", "infs", "inf", "1s2"})
        EXPECT_THROW(static_cast<void>(parse_seconds(bad, "--budget")), InputError) << bad;
}

TEST(Text, reads_numbers_in_full_or_not_at_all) {
    EXPECT_DOUBLE_EQ(parse_number("-2.5e3", "x"), -2500);
    for (const auto* bad : {"", "1,5", "1 ", "nan", "inf", "1e999"})
        EXPECT_THROW(static_cast<void>(parse_number(bad, "x")), InputError) << bad;
    EXPECT_EQ(parse_count("7", "x", 7), 7U);
    for (const auto* bad : {"6", "-7", "7.0", "7x", "", "99999999999999999999"})
        EXPECT_THROW(static_cast<void>(parse_count(bad, "x", 7)), InputError) << bad;
}

TEST(Text, writes_sizes_that_it_reads) {
    EXPECT_EQ(format_bytes(Bytes(0)), "0 B");
    EXPECT_EQ(format_bytes(Bytes(512)), "512 B");
    EXPECT_EQ(format_bytes(Bytes(65536)), "64 KiB");
    EXPECT_EQ(format_bytes(Bytes(4U << 20U)), "4 MiB");
    EXPECT_EQ(format_bytes(Bytes(1536)), "1.5 KiB");
    for (std::uint64_t size = 1; size < (std::uint64_t{1} << 44U); size *= 2)
        EXPECT_EQ(parse_bytes(format_bytes(Bytes(size)), "x"), Bytes(size));
}

TEST(Text, writes_times_with_three_digits) {
    EXPECT_EQ(format_seconds(Seconds(0)), "0 s");
    EXPECT_EQ(format_seconds(Seconds(47.6e-6)), "47.6 us");
    EXPECT_EQ(format_seconds(Seconds(0.0122)), "12.2 ms");
    EXPECT_EQ(format_seconds(Seconds(3.41)), "3.41 s");
    EXPECT_EQ(format_seconds(Seconds(2e-9)), "2 ns");
    EXPECT_EQ(format_seconds(Seconds(999.9e-6)), "1 ms") << "never 1e+03 us";
    EXPECT_EQ(format_seconds(Seconds(0.9996)), "1 s");
    EXPECT_EQ(format_seconds(Seconds(999.2e-6)), "999 us");
    EXPECT_EQ(format_seconds(Seconds(12345)), "12345 s");
    EXPECT_EQ(format_seconds(Seconds(-0.0122)), "-12.2 ms");
}

}  // namespace
}  // namespace espalier
