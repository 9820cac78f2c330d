#include "outputs/network_drawing.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "overview/text.hpp"
#include "report/network_svg.hpp"

#include <fmt/format.h>

namespace espalier::cli {

void check_network_drawing(const std::string& file) {
    if (!file.ends_with(".svg") && !file.ends_with(".html"))
        throw InputError("-o", "", fmt::format("{}: a network is drawn as .svg or .html", file));
    espalier::require_writable(file);
}

void draw_network(const std::string& file, const overview::Overview& overview,
                  const std::string& source, const std::string& made) {
    write_file(file, file.ends_with(".svg") ? report::network_svg(overview)
                                            : report::network_html(overview, source, made));
}

std::string describe_network_drawing(const std::string& file, const overview::Overview& overview) {
    return fmt::format("{}: {}\n", file, title_of(overview));
}

}  // namespace espalier::cli
