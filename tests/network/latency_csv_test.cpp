#include "network/latency_csv.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>

namespace espalier::network {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string complaint(const std::string& text) {
    try {
        (void)parse_pair_table(text, "t.csv");
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(LatencyCsv, reads_names_cells_and_the_diagonal) {
    const PairTable table = parse_pair_table(",a,b\na,1.5,2\nb,3e1,4\n", "t.csv");
    EXPECT_THAT(table.names, ElementsAre("a", "b"));
    EXPECT_EQ(table.cells(0, 0), 1.5);
    EXPECT_EQ(table.cells(0, 1), 2.0);
    EXPECT_EQ(table.cells(1, 0), 30.0);
    EXPECT_EQ(table.cells(1, 1), 4.0);
}

TEST(LatencyCsv, takes_an_empty_cell_and_a_zero_off_the_diagonal_for_not_measured) {
    const PairTable table = parse_pair_table(",a,b,c\na,0,0,0.0\nb,5,,\nc,,6,\n", "t.csv");
    EXPECT_EQ(table.cells(0, 0), 0.0);
    EXPECT_FALSE(table.cells(0, 1));
    EXPECT_FALSE(table.cells(0, 2));
    EXPECT_TRUE(table.cells(1, 0));
    EXPECT_FALSE(table.cells(1, 1));
    EXPECT_FALSE(table.cells(1, 2));
}

TEST(LatencyCsv, accepts_a_corner_label_quotes_blanks_and_the_line_ends_of_windows) {
    const PairTable table = parse_pair_table(
        "\xEF\xBB\xBFnode, \"a, \"\"b\"\"\" ,c\r\n\"a, \"\"b\"\"\",, 7 \r\nc,8,\r\n\r\n", "t.csv");
    EXPECT_THAT(table.names, ElementsAre("a, \"b\"", "c"));
    EXPECT_EQ(table.cells(0, 1), 7.0);
    EXPECT_EQ(table.cells(1, 0), 8.0);
}

TEST(LatencyCsv, numbers_the_nodes_of_a_matrix_without_names) {
    const PairTable blanks = parse_pair_table("0\t1 2\n1  0\t3\n2 3 0\n", "matrix");
    EXPECT_THAT(blanks.names, ElementsAre("n0", "n1", "n2"));
    EXPECT_EQ(blanks.cells(1, 2), 3.0);
    const PairTable commas = parse_pair_table("0,1\n,0\n", "matrix");
    EXPECT_THAT(commas.names, ElementsAre("n0", "n1"));
    EXPECT_FALSE(commas.cells(1, 0));
}

TEST(LatencyCsv, writes_what_it_reads) {
    PairTable table{{"a b", "c,\"d\""}, Matrix<std::optional<double>>(2, 2)};
    table.cells(0, 1) = 1.0 / 3;
    table.cells(1, 1) = 12197.49;
    const PairTable back = parse_pair_table(to_csv(table), "t.csv");
    EXPECT_EQ(back.names, table.names);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(back.cells(i, j), table.cells(i, j));
}

TEST(LatencyCsv, names_file_row_and_column_of_what_is_wrong) {
    EXPECT_EQ(complaint(",a,b\na,,-2\nb,1,\n"), "t.csv: line 2, column 3 (a to b): -2 is negative");
    EXPECT_EQ(complaint(",a,b\na,,x\nb,1,\n"),
              "t.csv: line 2, column 3 (a to b): 'x' is not a number");
    EXPECT_EQ(complaint(",a,b\na,,1\nb,nan,\n"),
              "t.csv: line 3, column 2 (b to a): 'nan' is not a finite number");
    EXPECT_THAT(complaint(",a,b\na,,1\nb,inf,\n"), HasSubstr("'inf' is not a finite number"));
    EXPECT_THAT(complaint(",a,b\na,,1\nb,1e999,\n"), HasSubstr("'1e999' is not a number"));
    EXPECT_THAT(complaint(",a,b\na,,1 2\nb,1,\n"), HasSubstr("line 2, column 3"));
    EXPECT_EQ(complaint("0 -1\n1 0\n"), "t.csv: line 1, column 2 (n0 to n1): -1 is negative");
}

TEST(LatencyCsv, rejects_what_is_not_square) {
    EXPECT_EQ(complaint(",a,b\na,,1\n"), "t.csv: not square: 1 rows, 2 columns");
    EXPECT_EQ(complaint(",a,b\na,,1\nb,1,\nc,1,1\n"), "t.csv: not square: 3 rows, 2 columns");
    EXPECT_EQ(complaint(",a,b\na,,1\nb,1\n"),
              "t.csv: line 3: not square: 1 cells where 2 were expected");
    EXPECT_EQ(complaint(",a,b\na,,1,5\nb,1,\n"),
              "t.csv: line 2: not square: 3 cells where 2 were expected");
    EXPECT_THAT(complaint("0 1\n1 0\n1 1\n"), HasSubstr("not square: 3 rows, 2 columns"));
    EXPECT_THAT(complaint(",a,b\na,,1\n\nb,1,\n"), HasSubstr("t.csv: "));
}

TEST(LatencyCsv, rejects_names_that_are_empty_doubled_or_disagree) {
    EXPECT_EQ(complaint(",a,\na,,1\n,1,\n"), "t.csv: line 1, column 3: the name is empty");
    EXPECT_EQ(complaint(",a,a\na,,1\na,1,\n"),
              "t.csv: line 1, column 3: the name 'a' stands there twice");
    EXPECT_EQ(complaint(",a,b\nb,,1\na,1,\n"),
              "t.csv: line 2, column 1: the row is named 'b', the column at its place 'a'");
}

TEST(LatencyCsv, rejects_a_file_with_nothing_in_it) {
    EXPECT_EQ(complaint(""), "t.csv: the file is empty");
    EXPECT_EQ(complaint("\n\n"), "t.csv: the file is empty");
    EXPECT_EQ(complaint("\n0"), "t.csv: line 1: the row is empty");
    EXPECT_EQ(complaint("node\n"), "t.csv: line 1: names no node");
    EXPECT_THAT(complaint("{\"format\": \"espalier-network\"}"),
                AllOf(HasSubstr("t.csv: "), Not(HasSubstr("accepted"))));
    EXPECT_THROW((void)read_pair_table("/nowhere/t.csv"), InputError);
}

TEST(LatencyCsv, never_crashes_on_a_file_cut_off_anywhere) {
    const std::string whole = ",\"a\",b\n\"a\",,1.5e3\nb,2,\n";
    for (std::size_t length = 0; length + 3 < whole.size(); ++length)
        EXPECT_NE(complaint(whole.substr(0, length)), "accepted") << length;
}

TEST(LatencyCsv, reads_units_of_time) {
    EXPECT_EQ(duration(parse_time_unit("us", "--unit")), Seconds(1e-6));
    EXPECT_EQ(duration(parse_time_unit("ms", "--unit")), Seconds(1e-3));
    EXPECT_EQ(duration(parse_time_unit("s", "--unit")), Seconds(1));
    EXPECT_THROW((void)parse_time_unit("min", "--unit"), InputError);
}

TEST(LatencyCsv, makes_a_pairwise_network_of_startups) {
    const auto network =
        to_pairwise(parse_pair_table(",a,b\na,9,2\nb,,9\n", "t.csv"), TimeUnit::ms);
    const Network checked(network);
    EXPECT_THAT(checked.pairwise()->nodes, ElementsAre("a", "b"));
    EXPECT_DOUBLE_EQ(network.startup(0, 1)->value, 0.002);
    EXPECT_FALSE(network.startup(1, 0));
    EXPECT_FALSE(network.startup(0, 0));
    EXPECT_FALSE(network.bandwidth(0, 1));
}

}  // namespace
}  // namespace espalier::network
