#include "directory/prometheus.hpp"

#include "directory/http.hpp"
#include "directory/prometheus_answer.hpp"
#include "directory/prometheus_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::directory {

namespace {

using std::chrono::milliseconds;

HttpLimits limits_of(const PrometheusSettings& settings) {
    HttpLimits limits;
    limits.total = settings.timeout;
    return limits;
}

milliseconds to_milliseconds(Seconds time) {
    return std::chrono::ceil<milliseconds>(std::chrono::duration<double>(time.value));
}

class Prometheus : public Source {
public:
    explicit Prometheus(PrometheusSettings settings)
        : settings_(std::move(settings)), client_(settings_.address, limits_of(settings_)) {}

    [[nodiscard]] std::vector<Measurement> read(const Period& period) const override {
        const Period bounded = bound(period);
        std::vector<Measurement> measurements;
        // Nothing was scraped before 1970, and Prometheus does not count on being asked.
        if (bounded.end < bounded.begin || bounded.end < Time()) return measurements;
        for (const auto& query : settings_.queries)
            read_prometheus_answer(client_.get(question(query, bounded)), settings_, query, bounded,
                                   measurements);
        std::stable_sort(measurements.begin(), measurements.end(),
                         [](const auto& a, const auto& b) { return a.at < b.at; });
        return measurements;
    }

private:
    [[nodiscard]] Period bound(Period period) const {
        const bool unlimited = period.begin <= Time();
        period.end = std::min(period.end, std::chrono::ceil<std::chrono::microseconds>(
                                              std::chrono::system_clock::now()));
        if (unlimited) period.begin = period.end - to_milliseconds(settings_.lookback);
        return period;
    }

    /// An instant query at the end of the period for a range vector that reaches back to its
    /// beginning. Later versions leave out a sample exactly at the beginning of a range, so it is
    /// made longer by the least there is.
    [[nodiscard]] std::string question(const PrometheusSettings::Query& query,
                                       const Period& period) const {
        const auto end = std::chrono::floor<milliseconds>(period.end);
        const auto range = end - std::chrono::floor<milliseconds>(period.begin) + milliseconds(1);
        const std::string expression =
            is_plain_selector(query.expression)
                ? fmt::format("{}[{}ms]", query.expression, range.count())
                : fmt::format("({}\n)[{}ms:{}ms]", query.expression, range.count(),
                              to_milliseconds(settings_.step).count());
        const auto since_1970 = end.time_since_epoch().count();
        return fmt::format("/api/v1/query?query={}&time={}.{:03}", percent_encoded(expression),
                           since_1970 / 1000, since_1970 % 1000);
    }

    PrometheusSettings settings_;
    HttpClient client_;
};

}  // namespace

bool is_prometheus_url(const std::string& name) {
    return name.starts_with("http://") || name.starts_with("https://");
}

std::unique_ptr<Source> open_prometheus(const std::string& url) {
    return std::make_unique<Prometheus>(parse_prometheus_url(url));
}

}  // namespace espalier::directory
