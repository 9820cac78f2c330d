#include "options.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

namespace heat {

namespace {

double number(const std::string& option, const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value))
        throw UsageError(option + ": '" + text + "' is not a number");
    return value;
}

int count(const std::string& option, const std::string& text, int least) {
    const double value = number(option, text);
    if (value != std::floor(value) || value < least || value > std::numeric_limits<int>::max())
        throw UsageError(option + ": '" + text + "' is not a whole number of at least " +
                         std::to_string(least));
    return static_cast<int>(value);
}

double positive(const std::string& option, const std::string& text) {
    const double value = number(option, text);
    if (value <= 0) throw UsageError(option + ": '" + text + "' is not positive");
    return value;
}

void set_order(Options& options, const std::string& text) {
    constexpr std::string_view random = "random:";
    if (text == "ring") {
        options.order = espalier::RingOrder::planned;
    } else if (text == "speed") {
        options.order = espalier::RingOrder::by_speed;
    } else if (text.starts_with(random)) {
        options.order = espalier::RingOrder::random;
        options.seed = static_cast<std::uint64_t>(count("--order", text.substr(random.size()), 0));
    } else {
        throw UsageError("--order: '" + text + "' is not ring, speed or random:SEED");
    }
}

Slowdown slowdown(const std::string& text) {
    const auto last = text.rfind(':');
    const auto first = last == std::string::npos ? last : text.rfind(':', last - 1);
    if (first == std::string::npos || first == 0 || last == 0)
        throw UsageError("--slow: '" + text + "' is not HOST:STEP:FACTOR");
    return {text.substr(0, first), count("--slow", text.substr(first + 1, last - first - 1), 0),
            positive("--slow", text.substr(last + 1))};
}

}  // namespace

Options parse(int argc, char** argv) {
    Options options;
    const std::vector<std::string> words(argv + 1, argv + argc);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& option = words[i];
        if (option == "--check") {
            options.check = true;
            continue;
        }
        if (option == "--help") {
            options.help = true;
            return options;
        }
        if (i + 1 == words.size()) throw UsageError(option + ": no such option, or no value");
        const std::string& value = words[++i];
        if (option == "--network")
            options.network = value;
        else if (option == "--rows")
            options.rows = count(option, value, 1);
        else if (option == "--columns")
            options.columns = count(option, value, 1);
        else if (option == "--steps")
            options.steps = count(option, value, 1);
        else if (option == "--work")
            options.work = positive(option, value);
        else if (option == "--order")
            set_order(options, value);
        else if (option == "--planning")
            options.planning_seconds = positive(option, value);
        else if (option == "--seed")
            options.seed = static_cast<std::uint64_t>(count(option, value, 0));
        else if (option == "--slow")
            options.slowdown = slowdown(value);
        else if (option == "--adapt")
            options.adapt_every = count(option, value, 1);
        else
            throw UsageError(option + ": no such option");
    }
    if (options.network.empty()) throw UsageError("--network: needed");
    if (options.work == 0) options.work = options.columns;
    return options;
}

}  // namespace heat
