#include "ring_check.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "network/json.hpp"
#include "report/ring_text.hpp"
#include "ring/plan.hpp"

#include <fmt/format.h>

#include <cmath>

namespace espalier::cli {

namespace {

double parse_positive(const std::string& text, const std::string& option) {
    const double number = parse_number(text, option);
    if (!(number > 0))
        throw InputError(option, "", fmt::format("{} where a positive number was expected", text));
    return number;
}

/// What an option says, what the file says: either, or both the same.
void settle(std::optional<double>& stated, const std::string& option, std::optional<double> given,
            const std::string& file) {
    if (!stated && !given)
        throw InputError(option, "", fmt::format("needed: {} does not say it", file));
    if (stated && given && *stated != *given)
        throw InputError(option, "", fmt::format("{} says {}", file, *stated));
    if (given) stated = given;
}

Json document_of(const schedule::StatedRing& stated, const simulate::RingCheck& check) {
    Json document{{"format", "espalier-check"}, {"version", 1}, {"valid", !check.violation}};
    if (check.violation)
        document["violation"] = *check.violation;
    else
        document["step_time"] = check.ring.step_time;
    document["stated_step_time"] = stated.step_time;
    return document;
}

}  // namespace

double parse_work(const std::string& text) { return parse_positive(text, "--work"); }

double parse_exchange(const std::string& text) {
    if (!text.ends_with('B')) return parse_positive(text, "--exchange");
    return parse_positive(fmt::format("{}", parse_bytes(text, "--exchange").value), "--exchange");
}

bool is_ring(const std::string& file) {
    const std::string text = read_file(file);
    // Schedules may be very long, and are not to be parsed twice.
    if (text.find("\"espalier-ring\"") == std::string::npos) return false;
    Json storage;
    const JsonValue document = JsonValue::parse(file, text, storage);
    if (!document.is_object()) return false;
    const auto format = document.find("format");
    return format && format->raw() == "espalier-ring";
}

CheckedRing examine_ring(const RingFile& file, const network::Network& network) {
    CheckedRing result{schedule::read_ring(file.file), {}, {}};
    schedule::StatedRing& stated = result.stated;
    settle(stated.work, "--work",
           file.work.empty() ? std::nullopt : std::optional(parse_work(file.work)), file.file);
    settle(stated.exchange, "--exchange",
           file.exchange.empty() ? std::nullopt : std::optional(parse_exchange(file.exchange)),
           file.file);
    try {
        result.platform = ring::physical_network(network, *stated.exchange);
    } catch (const InputError& error) {
        throw InputError(file.network_file, "", error.what());
    }
    result.check = simulate::check_ring(stated, result.platform);
    if (!result.check.violation && !stated.network.empty() &&
        stated.network != network::fingerprint(network))
        warn(fmt::format("{}: it was planned for another network than {}", file.file,
                         file.network_file));
    return result;
}

void check_ring_file(const RingFile& file, const network::Network& network,
                     const ResultOptions& result) {
    const CheckedRing found = examine_ring(file, network);
    const simulate::RingCheck& check = found.check;
    if (!check.violation || result.json)
        deliver(result, document_of(found.stated, check), [&] {
            return fmt::format("valid: {}\nstep time {}, stated {}\n",
                               report::title_of(check.ring, found.platform),
                               report::format_number(check.ring.step_time),
                               report::format_number(found.stated.step_time));
        });
    if (check.violation) throw InvalidError(fmt::format("{}: {}", file.file, *check.violation));
}

}  // namespace espalier::cli
