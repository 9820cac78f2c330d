#include "report/node_names.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace espalier::report {

namespace {
constexpr double most_head_width = 180;

bool ends_in(const std::string& name, std::size_t number) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    return std::string_view(name).substr(digits) == std::to_string(number);
}
}  // namespace

NodeNames::NodeNames(const std::vector<std::string>& names, double room) : names_(names) {
    numbered_ = std::ranges::any_of(
        names, [&](const std::string& name) { return text_width(name, label_size) > room; });
    std::size_t node = 0;
    counted_ =
        std::ranges::all_of(names, [&](const std::string& name) { return ends_in(name, node++); });
}

std::string NodeNames::head(std::size_t node) const {
    const std::string& name = names_[node];
    return cut_to(numbered_ && !counted_ ? fmt::format("{} · {}", node, name) : name, head_size,
                  most_head_width);
}

double NodeNames::widest_head() const {
    double widest = 0;
    for (std::size_t node = 0; node < names_.size(); ++node)
        widest = std::max(widest, text_width(head(node), head_size));
    return widest;
}

double NodeNames::head_height(double column_width) const {
    return (upright(column_width) ? widest_head() : head_size) + 8;
}

void NodeNames::draw_heads(Svg& svg, double column_width, double y,
                           const std::function<double(std::size_t)>& middle) const {
    const bool turned = upright(column_width);
    const auto heads = svg.group({{"class", "names"},
                                  {"font-size", head_size},
                                  {"text-anchor", turned ? "start" : "middle"},
                                  {"fill", palette::ink}});
    for (std::size_t node = 0; node < names_.size(); ++node) {
        const double x = middle(node) + (turned ? head_size * 0.35 : 0);
        if (turned)
            svg.text(
                x, y, head(node),
                {{"transform", fmt::format("rotate(-90 {} {})", coordinate(x), coordinate(y))}});
        else
            svg.text(x, y, head(node));
    }
}

std::string cut_to(const std::string& text, double font_size, double width) {
    if (text_width(text, font_size) <= width) return text;
    const auto within_character = [&](std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
    };
    std::size_t head = text.size() / 2;
    std::size_t tail = head;
    std::string out;
    do {
        // Names of one kind differ at their ends, or where they begin.
        do --head;
        while (head > 0 && within_character(head));
        do ++tail;
        while (within_character(tail));
        out = text.substr(0, head) + "…" + text.substr(tail);
    } while (head > 0 && tail < text.size() && text_width(out, font_size) > width);
    return out;
}

}  // namespace espalier::report
