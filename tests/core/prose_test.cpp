#include "core/prose.hpp"

#include "core/table.hpp"

#include <gmock/gmock.h>

#include <random>
#include <sstream>

namespace espalier {
namespace {

TEST(Prose, counts_the_columns_of_a_terminal) {
    EXPECT_EQ(columns_of(""), 0U);
    EXPECT_EQ(columns_of("orsay"), 5U);
    EXPECT_EQ(columns_of("Zürich…"), 7U);
    EXPECT_EQ(columns_of("東京"), 4U);
    EXPECT_EQ(columns_of("서울-1"), 6U);
    EXPECT_EQ(columns_of("e\xcc\x81"), 1U) << "an accent by itself";
    EXPECT_EQ(columns_of("\xf0\x9f\x98\x80"), 2U);
    EXPECT_EQ(columns_of("\xff\xfe"), 2U) << "no UTF-8, and no crash";
}

TEST(Prose, tables_align_what_is_wide) {
    Table table({{"node"}, {"at", Table::Align::right}});
    table.add({"東京", "1"});
    table.add({"oslo", "22"});
    EXPECT_EQ(table.text(), "  node  at\n  東京   1\n  oslo  22\n");
}

TEST(Prose, tables_break_words_where_columns_end) {
    Table table({{"name"}, {"what it does"}, {"at", Table::Align::right}});
    table.add({"ecef", "early completion edge first", "1"});
    table.add({"a", "", "222"});
    EXPECT_EQ(table.text(28),
              "  name  what it does      at\n  ecef  early              1\n"
              "        completion edge\n        first\n  a                      222\n");
    EXPECT_EQ(table.text(80), table.text());
    // No word is broken, nor any number.
    EXPECT_EQ(table.text(1), table.text(23));
}

TEST(Prose, breaks_lines_at_blanks) {
    EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
    EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three");
    EXPECT_EQ(wrapped("  one two", 6), "  one\n  two");
    EXPECT_EQ(wrapped("a\n\nb c\n", 1), "a\n\nb\nc\n");
    EXPECT_EQ(wrapped("unbreakable", 3), "unbreakable");
    EXPECT_EQ(wrapped("a  b", 10), "a  b");
    EXPECT_EQ(wrapped("", 10), "");
}

TEST(Prose, no_broken_line_is_longer_than_asked_and_no_word_is_lost) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::string text;
        std::vector<std::string> words;
        for (int w = 0; w < 30; ++w) {
            words.emplace_back(1 + random() % 9, static_cast<char>('a' + random() % 26));
            text += (w == 0 ? "" : " ") + words.back();
        }
        const std::size_t columns = 10 + random() % 60;
        std::istringstream lines(wrapped(text, columns));
        std::vector<std::string> found;
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), columns);
            std::istringstream in(line);
            for (std::string word; in >> word;) found.push_back(word);
        }
        EXPECT_EQ(found, words);
    }
}

TEST(Prose, a_capital_letter_comes_of_a_small_one_of_ascii_alone) {
    EXPECT_EQ(capitalised("grid of 5"), "Grid of 5");
    EXPECT_EQ(capitalised("Grid"), "Grid");
    EXPECT_EQ(capitalised("5 nodes"), "5 nodes");
    EXPECT_EQ(capitalised("\xc3\xa9"), "\xc3\xa9");
    EXPECT_EQ(capitalised(""), "");
}

TEST(Prose, what_is_no_terminal_has_80_columns) { EXPECT_EQ(columns_of_output(-1), 80U); }

}  // namespace
}  // namespace espalier
