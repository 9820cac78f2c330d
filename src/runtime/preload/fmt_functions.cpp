// The functions that other files expect of fmt's library, compiled into the preloaded libraries:
// so these need no libfmt of one version on whatever system they are loaded. To be compiled with
// FMT_HEADER_ONLY, and without inlining: then all that is used here is there for others, too.

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <string>

namespace espalier::runtime {

namespace {

[[gnu::used]] void use_functions_of_fmt(std::string& text, float single, double number) {
    fmt::vformat_to(std::back_inserter(text), "{} {} {:L} {:?}",
                    fmt::make_format_args(single, number, number, text));
    text += fmt::vformat("{}", fmt::make_format_args(text));
    fmt::vprint(stderr, "{}", fmt::make_format_args(text));
}

}  // namespace

}  // namespace espalier::runtime
