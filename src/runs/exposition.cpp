#include "runs/exposition.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace espalier::runs {

namespace {

std::string_view word_of(Exposition::Type type) {
    switch (type) {
        case Exposition::Type::counter:
            return "counter";
        case Exposition::Type::gauge:
            return "gauge";
        case Exposition::Type::summary:
            break;
    }
    return "summary";
}

/// Backslashes and line ends, and in a label's value quotes, would end it.
std::string escaped(std::string_view text, bool quoted) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\\' || (quoted && letter == '"')) result += '\\';
        if (letter == '\n')
            result += "\\n";
        else
            result += letter;
    }
    return result;
}

std::string number_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
    return fmt::format("{}", value);
}

/// Reads one line from the left to the right.
class SampleLine {
public:
    SampleLine(std::string_view line, std::string where) : rest_(line), where_(std::move(where)) {}

    Sample read() {
        Sample sample{.name = name()};
        if (take('{')) {
            while (!take('}')) {
                const std::string label = name();
                if (!take('=') || !take('"')) fail("a label without a value in quotes");
                sample.labels[label] = quoted();
                if (!take(',') && (rest_.empty() || rest_.front() != '}'))
                    fail("labels without a comma between them");
            }
        }
        sample.value = number();
        return sample;
    }

private:
    [[noreturn]] void fail(const char* what) const { throw InputError(where_, "", what); }

    void skip_blanks() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
            rest_.remove_prefix(1);
    }
    bool take(char letter) {
        skip_blanks();
        if (rest_.empty() || rest_.front() != letter) return false;
        rest_.remove_prefix(1);
        return true;
    }
    std::string name() {
        skip_blanks();
        std::size_t length = 0;
        const auto fits = [&](char letter) {
            const auto byte = static_cast<unsigned char>(letter);
            return letter == '_' || letter == ':' || std::isalpha(byte) != 0 ||
                   (length > 0 && std::isdigit(byte) != 0);
        };
        while (length < rest_.size() && fits(rest_[length])) ++length;
        if (length == 0) fail("a name was expected");
        std::string found(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return found;
    }
    std::string quoted() {
        std::string value;
        while (!rest_.empty() && rest_.front() != '"') {
            char letter = rest_.front();
            rest_.remove_prefix(1);
            if (letter == '\\') {
                if (rest_.empty()) break;
                letter = rest_.front() == 'n' ? '\n' : rest_.front();
                rest_.remove_prefix(1);
            }
            value += letter;
        }
        if (rest_.empty()) fail("a label's value does not end");
        rest_.remove_prefix(1);
        return value;
    }
    double number() {
        skip_blanks();
        const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t"));
        if (word == "+Inf") return std::numeric_limits<double>::infinity();
        double value = 0;
        const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (word.empty() || fault != std::errc() || end != word.data() + word.size())
            fail("a number was expected");
        return value;
    }

    std::string_view rest_;
    std::string where_;
};

}  // namespace

void Exposition::begin(std::string_view name, Type type, std::string_view help) {
    name_ = name;
    head_ =
        fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, escaped(help, false), word_of(type));
}

void Exposition::add(const Labels& labels, double value, std::string_view ending) {
    text_ += head_;
    head_.clear();
    text_ += name_;
    text_ += ending;
    if (!labels.empty()) {
        text_ += '{';
        for (const auto& [label, words] : labels)
            text_ += fmt::format("{}{}=\"{}\"", text_.back() == '{' ? "" : ",", label,
                                 escaped(words, true));
        text_ += '}';
    }
    text_ += ' ' + number_text(value) + '\n';
}

std::string Sample::label(const std::string& of) const {
    const auto found = labels.find(of);
    return found == labels.end() ? "" : found->second;
}

std::vector<Sample> read_exposition(std::string_view text, const std::string& file) {
    std::vector<Sample> samples;
    std::size_t line_number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++line_number;
        if (line.empty() || line.front() == '#') continue;
        samples.push_back(SampleLine(line, fmt::format("{}: line {}", file, line_number)).read());
    }
    return samples;
}

}  // namespace espalier::runs
