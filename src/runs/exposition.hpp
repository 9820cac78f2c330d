#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace espalier::runs {

/// Numbers with names and labels, in the text format that Prometheus and its exporters read
/// (exposition format 0.0.4).
class Exposition {
public:
    enum class Type { counter, gauge, summary };
    using Labels = std::vector<std::pair<std::string, std::string>>;

    /// Samples that follow are of this family, whose name (a letter, then letters, digits and `_`)
    /// was not used before. A family without samples is left out.
    void begin(std::string_view name, Type type, std::string_view help);
    /// `ending` is that of the sample's own name, `_sum` or `_count` of a summary.
    void add(const Labels& labels, double value, std::string_view ending = "");
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string name_;
    std::string head_;  ///< of the family, until it has a sample
    std::string text_;
};

/// One number of such a text.
struct Sample {
    std::string name;
    std::map<std::string, std::string> labels;
    double value = 0;

    /// Empty where it has no such label.
    [[nodiscard]] std::string label(const std::string& of) const;
};

/// The samples in their order; comments are skipped, and times of samples. Throws InputError naming
/// `file` and line.
[[nodiscard]] std::vector<Sample> read_exposition(std::string_view text, const std::string& file);

}  // namespace espalier::runs
