#include "report/page_style.hpp"

#include "report/svg.hpp"
#include "report/viewer_files.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace espalier::report {

namespace {

std::string colours() {
    using namespace palette;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 15> all{
        {{"ink", ink},
         {"muted", muted},
         {"rule", rule},
         {"band", band},
         {"paper", paper},
         {"blue", blue},
         {"light-blue", light_blue},
         {"purple", purple},
         {"light-purple", light_purple},
         {"grey", grey},
         {"light-grey", light_grey},
         {"amber", amber},
         {"dark-amber", dark_amber},
         {"orange", orange},
         {"green", green}}};
    std::string text = ":root {";
    for (const auto& [name, value] : all) text += fmt::format(" --{}: {};", name, value);
    return text + " }\n";
}

}  // namespace

std::string page_style() { return colours() + std::string(viewer_css); }

}  // namespace espalier::report
