#include "core/csv.hpp"

#include <gmock/gmock.h>

namespace espalier {
namespace {

using testing::ElementsAre;

TEST(Csv, cells_are_trimmed_and_may_be_quoted) {
    EXPECT_THAT(csv_cells("a, b ,,\"c, d\",\"say \"\"hi\"\"\""),
                ElementsAre("a", "b", "", "c, d", "say \"hi\""));
    EXPECT_THAT(csv_cells(""), ElementsAre(""));
    EXPECT_THAT(csv_cells("a,"), ElementsAre("a", ""));
}

TEST(Csv, a_cell_comes_back_as_it_was_written) {
    for (const char* text : {"plain", "with, comma", "with \"quotes\"", "with blank", ""})
        EXPECT_THAT(csv_cells(csv_cell(text) + ",next"), ElementsAre(text, "next"));
}

TEST(Csv, lines_keep_their_numbers) {
    EXPECT_THAT(csv_lines("\xEF\xBB\xBF"
                          "a,b\r\n\n c \n\n\n"),
                ElementsAre("a,b", "", "c"));
    EXPECT_TRUE(csv_lines("\n\n").empty());
}

TEST(Csv, a_semicolon_parts_cells_where_there_is_no_comma) {
    EXPECT_EQ(csv_separator(",a,b"), ',');
    EXPECT_EQ(csv_separator(";a;b"), ';');
    EXPECT_EQ(csv_separator("a;b,c"), ',');
    EXPECT_EQ(csv_separator("1 2 3"), 0);
    EXPECT_THAT(csv_cells("a; \"b;c\" ;1,5", ';'), ::testing::ElementsAre("a", "b;c", "1,5"));
}

}  // namespace
}  // namespace espalier
