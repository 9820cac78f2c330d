#include "directory/time.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace espalier::directory {

namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Takes the parts of a date from the front of a text.
class DateReader {
public:
    explicit DateReader(std::string_view text) : text_(text) {}

    [[nodiscard]] bool at_end() const { return text_.empty(); }
    bool skip(char letter) {
        if (text_.empty() || text_.front() != letter) return false;
        text_.remove_prefix(1);
        return true;
    }
    /// Exactly so many digits, of a number of at most `most`.
    std::optional<int> number(std::size_t digits, int most) {
        if (text_.size() < digits) return std::nullopt;
        int value = 0;
        const auto [rest, fault] = std::from_chars(text_.data(), text_.data() + digits, value);
        if (fault != std::errc{} || rest != text_.data() + digits || text_.front() == '-' ||
            value > most)
            return std::nullopt;
        text_.remove_prefix(digits);
        return value;
    }
    /// Reads one digit or more, as millionths.
    std::optional<int> millionths() {
        int value = 0;
        int digits = 0;
        while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
            if (digits++ < 6) value = value * 10 + (text_.front() - '0');
            text_.remove_prefix(1);
        }
        if (digits == 0) return std::nullopt;
        for (; digits < 6; ++digits) value *= 10;
        return value;
    }

private:
    std::string_view text_;
};

std::optional<Time> read_date(std::string_view text) {
    DateReader reader(text);
    const auto year = reader.number(4, 9999);
    if (!year || *year < 1970 || !reader.skip('-')) return std::nullopt;
    const auto month = reader.number(2, 12);
    if (!month || !reader.skip('-')) return std::nullopt;
    const auto day = reader.number(2, 31);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    Time time = std::chrono::sys_days(date);
    if (reader.at_end()) return time;

    if (!reader.skip('T')) return std::nullopt;
    const auto hour = reader.number(2, 23);
    if (!hour || !reader.skip(':')) return std::nullopt;
    const auto minute = reader.number(2, 59);
    if (!minute) return std::nullopt;
    time += hours(*hour) + minutes(*minute);
    if (reader.skip(':')) {
        const auto second = reader.number(2, 59);
        if (!second) return std::nullopt;
        time += seconds(*second);
        if (reader.skip('.')) {
            const auto fraction = reader.millionths();
            if (!fraction) return std::nullopt;
            time += microseconds(*fraction);
        }
    }
    if (!reader.skip('Z') || !reader.at_end()) return std::nullopt;
    return time;
}

[[noreturn]] void refuse(std::string_view text, const std::string& where,
                         std::string_view expected) {
    throw InputError(where, "", fmt::format("'{}' is not {}", text, expected));
}

}  // namespace

Time now() { return floor<microseconds>(std::chrono::system_clock::now()); }

std::string format_time(Time time) {
    const auto day = floor<days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    std::string text =
        fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                    clock.hours().count(), clock.minutes().count(), clock.seconds().count());
    if (const auto fraction = clock.subseconds().count(); fraction != 0) {
        text += fmt::format(".{:06}", fraction);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text + 'Z';
}

Time parse_date(std::string_view text, const std::string& where) {
    const auto time = read_date(text);
    if (!time) refuse(text, where, "a time (UTC) such as 2026-11-21T10:30:00Z");
    return *time;
}

Time parse_time(std::string_view text, const std::string& where, Time present) {
    if (text == "now") return present;
    if (!text.starts_with('-')) {
        const auto time = read_date(text);
        if (!time) refuse(text, where, "a time such as 2026-11-21T10:30:00Z (UTC), -2h or now");
        return *time;
    }
    return before(present, parse_seconds(text.substr(1), where));
}

Time before(Time time, Seconds span) {
    const double since_1970 = static_cast<double>(time.time_since_epoch().count());
    const double back = span.value * 1e6;
    if (back >= since_1970) return {};
    return time - microseconds(std::llround(back));
}

std::string format_age(Seconds age) {
    const double time = std::abs(age.value);
    const std::string number =
        time < 60      ? fmt::format("{:.0f} s", time)
        : time < 3600  ? fmt::format("{:.3g} min", std::floor(time / 6) / 10)
        : time < 86400 ? fmt::format("{:.3g} h", std::floor(time / 360) / 10)
                       : fmt::format("{:.{}f} d", time / 86400, time < 10 * 86400 ? 1 : 0);
    return age.value < 0 ? "-" + number : number;
}

}  // namespace espalier::directory
