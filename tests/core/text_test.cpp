#include "core/text.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>

namespace espalier {
namespace {

using ::testing::EndsWith;
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

TEST(Text, says_what_a_size_that_it_does_not_read_may_mean) {
    const auto fault_of = [](const char* text) -> std::string {
        try {
            static_cast<void>(parse_bytes(text, "--bytes"));
        } catch (const InputError& fault) {
            return fault.what();
        }
        return "read";
    };
    EXPECT_THAT(fault_of("4M"), EndsWith("; write 4MiB (by 1024) or 4MB (by 1000)"));
    EXPECT_THAT(fault_of("4mb"), EndsWith("; write 4MiB (by 1024) or 4MB (by 1000)"));
    EXPECT_THAT(fault_of("1.5k"), EndsWith("; write 1.5KiB (by 1024) or 1.5kB (by 1000)"));
    EXPECT_THAT(fault_of("64kib"), EndsWith("; write 64KiB"));
    for (const auto* bad : {"many", "4x", "MB", "", "7 apples"})
        EXPECT_THAT(fault_of(bad), EndsWith("512, 64KiB or 4MB")) << bad;
}

TEST(Text, writes_rates_with_three_digits) {
    EXPECT_EQ(format_rate(BytesPerSecond(47.2e6)), "47.2 MB/s");
    EXPECT_EQ(format_rate(BytesPerSecond(0)), "0 B/s");
    EXPECT_EQ(format_rate(BytesPerSecond(999.9)), "1 kB/s");
    EXPECT_EQ(format_rate(BytesPerSecond(1.25e10)), "12.5 GB/s");
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
    EXPECT_EQ(format_bytes(Bytes(1000000)), "1 MB") << "as it was given, and not 976.6 KiB";
    EXPECT_EQ(format_bytes(Bytes(1500)), "1.5 kB");
    EXPECT_EQ(format_bytes(Bytes(2000000000000)), "2 TB");
    EXPECT_EQ(format_bytes(Bytes(1023)), "1023 B");
    EXPECT_EQ(format_bytes(Bytes(174763)), "170.7 KiB") << "neither says it exactly";
    EXPECT_EQ(format_bytes(Bytes(166667), Bytes(1000000)), "166.7 kB") << "a sixth of 1 MB";
    EXPECT_EQ(format_bytes(Bytes(15625), Bytes(1000000)), "15.62 kB");
    EXPECT_EQ(format_bytes(Bytes(64000), Bytes(65536)), "62.5 KiB");
    for (const auto* given : {"1MB", "64KiB", "100kB", "3GB", "512", "2.5MiB"})
        EXPECT_EQ(parse_bytes(format_bytes(parse_bytes(given, "x")), "x"), parse_bytes(given, "x"));
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
    EXPECT_EQ(format_seconds(Seconds(9999)), "9999 s");
    EXPECT_EQ(format_seconds(Seconds(12345)), "3.43 h");
    EXPECT_EQ(format_seconds(Seconds(97376)), "27 h");
    EXPECT_EQ(format_seconds(Seconds(1e6)), "11.6 d");
    EXPECT_EQ(format_seconds(Seconds(1e300)), "1e+300 s");
    EXPECT_EQ(format_seconds(Seconds(-0.0122)), "-12.2 ms");
}

}  // namespace
}  // namespace espalier
