#include "runtime/logic/start.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"
#include "measure/method/hosts.hpp"
#include "measure/method/notes.hpp"
#include "network/json.hpp"
#include "runtime/logic/cache_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace espalier::runtime {

namespace {

/// Each host once, whether its ranks call it by its short or its full name.
std::vector<std::string> different(const std::vector<std::string>& names) {
    std::vector<std::string> hosts;
    for (measure::Host& host : measure::group_by_host(names)) hosts.push_back(std::move(host.name));
    return hosts;
}

/// Whether it has all costs that messages between `hosts` may meet.
bool has_all_costs(const network::GridView& view, const std::vector<std::string>& hosts) {
    for (std::size_t i = 0; i < view.leaves().size(); ++i)
        for (std::size_t j = 0; j < view.leaves().size(); ++j)
            if (i != j && view.link(i, j) == nullptr) return false;
    std::vector<network::GridView::Place> places = place_hosts(view, hosts).places;
    std::sort(places.begin(), places.end());
    for (std::size_t i = 1; i < places.size(); ++i) {
        const std::size_t leaf = places[i].leaf;
        if (places[i - 1].leaf != leaf) continue;
        const bool on_one_node = places[i - 1] == places[i];
        const bool has_own = on_one_node && view.leaves()[leaf].cluster->within_node.has_value();
        if (!has_own && view.link(leaf, leaf) == nullptr) return false;
    }
    return true;
}

/// A number among what a network says of its own measuring.
std::optional<Seconds> measured_time(const network::Network& network, const char* field) {
    const Json& measured = network.measured();
    if (!measured.is_object()) return std::nullopt;
    const auto found = measured.find(field);
    if (found == measured.end() || !found->is_number()) return std::nullopt;
    return Seconds(found->get<double>());
}

}  // namespace

std::string to_string(NetworkOrigin::Source source) {
    switch (source) {
        case NetworkOrigin::Source::none:
            return "none";
        case NetworkOrigin::Source::file:
            return "file";
        case NetworkOrigin::Source::site:
            return "site";
        case NetworkOrigin::Source::cache:
            return "cache";
        case NetworkOrigin::Source::measured:
            return "measured";
    }
    return "";
}

std::string digest_of(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return "";
    try {
        return sha256(read_file(path));
    } catch (const InputError&) {
        return "";
    }
}

std::string text_of(const network::Network& network) { return to_text(network::to_json(network)); }

Starter::Starter(const Settings& settings, const Environment& environment, const Library& library,
                 const std::vector<RankFacts>& ranks)
    : settings_(settings),
      site_files_(site_files(environment)),
      cache_(cache_folder(settings.cache, environment)) {
    for (const RankFacts& rank : ranks) {
        hosts_.push_back(rank.host);
        digests_.push_back(rank.digest);
    }
    key_.mpi = library.flavour;
    key_.library = library.version;
    key_.hosts = different(hosts_);
    key_.shares_hosts = key_.hosts.size() < hosts_.size();
    key_.transport = transport_variables(environment);
}

Start Starter::decide() {
    Start start;
    if (settings_.planning == Settings::Planning::never) {
        start.verdict = Verdict::never;
        return start;
    }
    if (!settings_.network.empty()) return read_given();
    const bool forced = settings_.measure == Settings::Measure::force;
    if (key_.hosts.size() == 1 && !forced) {
        start.verdict = Verdict::one_host;
        return start;
    }
    if (!forced) {
        Start site = find_site();
        if (site.origin.source != NetworkOrigin::Source::none) return site;
        if (settings_.measure != Settings::Measure::off) start = find_kept();
        start.warnings.insert(start.warnings.begin(), site.warnings.begin(), site.warnings.end());
    }
    const bool found = start.origin.source != NetworkOrigin::Source::none;
    goes_on_ = !start.notes.empty();
    start.measure = (!found || goes_on_) && settings_.measure != Settings::Measure::off;
    return start;
}

/// The first of the administrator's files, if it has all hosts of the job; one of other hosts says
/// nothing about this job, and one that can't be used draws a line.
Start Starter::find_site() {
    const auto exists = [](const std::string& path) {
        std::error_code error;
        return std::filesystem::is_regular_file(path, error);
    };
    const auto path = std::ranges::find_if(site_files_, exists);
    Start start;
    if (path == site_files_.end()) return start;
    try {
        start.text = read_file(*path);
        const network::Network network = network::parse_network(start.text, *path);
        start.network = std::make_shared<PlannableNetwork>(network, *path);
        if (!place_hosts(start.network->view(), hosts_).missing.empty()) return {};
        start.origin = {NetworkOrigin::Source::site, *path, measured_time(network, "seconds")};
        judge(start);
    } catch (const std::exception& error) {
        start = Start{};
        start.warnings.push_back(std::string(error.what()) + "; it is not used");
    }
    return start;
}

Start Starter::read_given() {
    Start start;
    start.origin = {NetworkOrigin::Source::file, settings_.network, std::nullopt};
    try {
        start.text = read_file(settings_.network);
        const network::Network network = network::parse_network(start.text, settings_.network);
        start.origin.measured_in = measured_time(network, "seconds");
        start.network = std::make_shared<PlannableNetwork>(network, settings_.network);
    } catch (const std::exception& error) {
        start.warnings.push_back(std::string(error.what()) + "; collectives are left to MPI");
        return start;
    }
    const std::string digest = sha256(start.text);
    for (std::size_t rank = 0; rank < digests_.size(); ++rank) {
        if (digests_[rank].empty() || digests_[rank] == digest) continue;
        start.warnings.push_back(
            fmt::format("{}: not the same on {} as on {}; collectives are left to MPI",
                        settings_.network, hosts_[rank], hosts_.front()));
        start.verdict = Verdict::different_networks;
        return start;
    }
    judge(start);
    return start;
}

Start Starter::find_kept() {
    Start start;
    try {
        auto kept = cache_.find(key_);
        if (!kept || kept->age.value > NetworkCache::most_age.value) return start;
        const network::Network network = network::parse_network(kept->text, kept->path);
        const auto network_on = std::make_shared<PlannableNetwork>(network, kept->path);
        const auto budget = measured_time(network, "budget_s");
        const bool may_do_better = budget && budget->value < settings_.measure_budget.value;
        if (may_do_better && !has_all_costs(network_on->view(), hosts_)) return start;
        start.origin = {NetworkOrigin::Source::cache, kept->path,
                        measured_time(network, "seconds")};
        start.text = std::move(kept->text);
        start.network = network_on;
        judge_own(start, network);
        // A job that leaves all to MPI has no use for it.
        if (start.verdict == Verdict::planned && measure::unpack_notes(kept->notes, key_.hosts))
            start.notes = std::move(kept->notes);
    } catch (const std::exception& error) {
        start = Start{};
        warn_of_cache(start, std::string(error.what()) + "; the network is measured anew");
    }
    return start;
}

Start Starter::go_on_with(const network::Network& measured, const std::string& notes) {
    Start start;
    start.origin = {NetworkOrigin::Source::measured, "", measured_time(measured, "seconds"),
                    !goes_on_};
    start.text = text_of(measured);
    start.network = std::make_shared<PlannableNetwork>(measured, "measured network");
    try {
        start.origin.path = cache_.keep(key_, measured, notes).path;
    } catch (const std::exception& error) {
        warn_of_cache(start,
                      std::string(error.what()) + "; the network that was measured is not kept");
    }
    judge_own(start, measured);
    return start;
}

void Starter::judge(Start& start) const {
    start.verdict = Verdict::planned;
    const Placement placement = place_hosts(start.network->view(), hosts_);
    if (!placement.missing.empty()) {
        // Some communicator may have none of these.
        const std::size_t others = placement.missing.size() - 1;
        start.warnings.push_back(fmt::format(
            "{}: no node for host '{}'{}; collectives are left to MPI", start.origin.path,
            placement.missing.front(), others == 0 ? "" : fmt::format(" and {} more", others)));
        return;
    }
    const bool planned_anyway = settings_.planning == Settings::Planning::always;
    if (in_one_leaf(placement.places) && !planned_anyway) start.verdict = Verdict::one_cluster;
}

void Starter::judge_own(Start& start, const network::Network& network) const {
    judge(start);
    if (start.verdict != Verdict::planned || has_all_costs(start.network->view(), hosts_)) return;
    start.verdict = Verdict::incomplete_network;
    start.warnings.push_back(fmt::format(
        "ESPALIER_MEASURE_BUDGET: {} were not enough to measure all costs between and in {} "
        "clusters; collectives are left to MPI",
        format_seconds(measured_time(network, "budget_s").value_or(settings_.measure_budget)),
        start.network->view().leaves().size()));
}

void Starter::warn_of_cache(Start& start, const std::string& line) {
    if (!warned_of_cache_) start.warnings.push_back(line);
    warned_of_cache_ = true;
}

}  // namespace espalier::runtime
