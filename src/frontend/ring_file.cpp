#include "frontend/ring_file.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "frontend/input.hpp"
#include "network/json.hpp"
#include "ring/plan.hpp"

#include <fmt/format.h>

#include <utility>

namespace espalier::frontend {

namespace {

double parse_positive(const std::string& text, const std::string& option) {
    const double number = parse_number(text, option);
    if (!(number > 0))
        throw InputError(option, "", fmt::format("{} where a positive number was expected", text));
    return number;
}

/// Sets a value that an option or the file states; if both do, they must agree.
void settle(std::optional<double>& stated, const std::string& option, std::optional<double> given,
            const std::string& file) {
    if (!stated && !given)
        throw InputError(option, "", fmt::format("needed: {} does not say it", file));
    if (stated && given && *stated != *given)
        throw InputError(option, "", fmt::format("{} says {}", file, *stated));
    if (given) stated = given;
}

}  // namespace

double parse_work(const std::string& text) { return parse_positive(text, "--work"); }

double parse_exchange(const std::string& text) {
    if (!text.ends_with('B')) return parse_positive(text, "--exchange");
    return parse_positive(fmt::format("{}", parse_bytes(text, "--exchange").value), "--exchange");
}

void refuse_ring_options(const std::string& file, const RingOptions& options) {
    for (const auto& [option, value] :
         {std::pair("--work", &options.work), std::pair("--exchange", &options.exchange)})
        if (!value->empty()) throw InputError(option, "", fmt::format("{} is no ring", file));
}

bool is_ring(const std::string& file) { return has_format(file, "espalier-ring"); }

CheckedRing examine_ring(schedule::StatedRing ring, const std::string& file,
                         const RingOptions& options, const network::Network& network,
                         const std::string& network_file, const Warn& warn) {
    CheckedRing result{std::move(ring), {}, {}};
    schedule::StatedRing& stated = result.stated;
    settle(stated.work, "--work",
           options.work.empty() ? std::nullopt : std::optional(parse_work(options.work)), file);
    settle(
        stated.exchange, "--exchange",
        options.exchange.empty() ? std::nullopt : std::optional(parse_exchange(options.exchange)),
        file);
    try {
        result.platform = ring::physical_network(network, *stated.exchange);
    } catch (const InputError& error) {
        throw InputError(network_file, "", error.what());
    }
    result.check = simulate::check_ring(stated, result.platform);
    if (!result.check.violation && !stated.network.empty() &&
        stated.network != network::fingerprint(network))
        warn(fmt::format("{}: it was planned for another network than {}", file, network_file));
    return result;
}

}  // namespace espalier::frontend
