#include "core/error.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(Error, says_in_one_line_whatever_a_file_had_in_it) {
    const InputError error("net.json", "nodes[0]", "the name 'a\nb\x7f' stands there twice");
    EXPECT_STREQ(error.what(), "net.json: nodes[0]: the name 'a\\x0ab\\x7f' stands there twice");
    EXPECT_EQ(in_one_line("Orsay–Grenoble"), "Orsay–Grenoble");
}

}  // namespace
}  // namespace espalier
