#include "core/prose.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace espalier {

namespace {

struct Letters {
    char32_t first;
    char32_t last;
};

/// Of Unicode's East_Asian_Width, W and F, in whole blocks.
constexpr std::array<Letters, 10> wide{{{0x1100, 0x115F},
                                        {0x2E80, 0x303E},
                                        {0x3041, 0xA4CF},
                                        {0xAC00, 0xD7A3},
                                        {0xF900, 0xFAFF},
                                        {0xFE30, 0xFE6F},
                                        {0xFF00, 0xFF60},
                                        {0xFFE0, 0xFFE6},
                                        {0x1F300, 0x1FAFF},
                                        {0x20000, 0x3FFFD}}};
/// Combining marks, and what joins letters without being seen.
constexpr std::array<Letters, 5> without_width{
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};

template <std::size_t size>
bool is_among(const std::array<Letters, size>& all, char32_t letter) {
    return std::ranges::any_of(
        all, [letter](const Letters& some) { return letter >= some.first && letter <= some.last; });
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Takes the first letter off a text that is not empty.
char32_t take_letter(std::string_view& text) {
    const auto first = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    std::uint32_t letter = first;
    if (first >= 0xF0U)
        letter = first & 0x07U;
    else if (first >= 0xE0U)
        letter = first & 0x0FU;
    else if (first >= 0xC0U)
        letter = first & 0x1FU;
    while (!text.empty() && continues(text.front())) {
        letter = letter << 6U | (static_cast<unsigned char>(text.front()) & 0x3FU);
        text.remove_prefix(1);
    }
    return static_cast<char32_t>(letter);
}

std::string wrapped_line(std::string_view line, std::size_t columns, std::size_t indent) {
    const std::size_t own = std::min(line.find_first_not_of(' '), line.size());
    const std::string margin(own + indent, ' ');
    std::string text(line.substr(0, own));
    std::size_t used = own;
    std::size_t blanks = 0;
    bool at_begin = true;
    line.remove_prefix(own);
    while (!line.empty()) {
        const std::string_view word = line.substr(0, line.find(' '));
        const std::size_t width = columns_of(word);
        if (!at_begin && used + blanks + width > columns) {
            text += "\n" + margin;
            used = margin.size();
        } else {
            text.append(blanks, ' ');
            used += blanks;
        }
        text += word;
        used += width;
        at_begin = false;
        line.remove_prefix(word.size());
        blanks = std::min(line.find_first_not_of(' '), line.size());
        line.remove_prefix(blanks);
    }
    return text;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const char32_t letter = take_letter(text);
        if (!is_among(without_width, letter)) columns += is_among(wide, letter) ? 2U : 1U;
    }
    return columns;
}

std::size_t columns_of_output(int descriptor) {
    constexpr std::size_t usual = 80;
    winsize size{};
    if (::isatty(descriptor) != 1 || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return usual;
    return size.ws_col == 0 ? usual : size.ws_col;
}

std::size_t columns_of_tables(int descriptor) {
    return ::isatty(descriptor) == 1 ? columns_of_output(descriptor)
                                     : std::numeric_limits<std::size_t>::max();
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
    std::string out;
    while (true) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out += wrapped_line(text.substr(0, end), columns, indent);
        if (end == text.size()) return out;
        out += '\n';
        text.remove_prefix(end + 1);
    }
}

std::string capitalised(std::string_view text) {
    std::string out(text);
    if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
        out.front() = static_cast<char>(out.front() - 'a' + 'A');
    return out;
}

}  // namespace espalier
