#include "runtime/logic/remembered_changes.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/sha256.hpp"
#include "runtime/logic/cache_folder.hpp"
#include "runtime/logic/refit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace espalier::runtime {

namespace {

namespace fs = std::filesystem;
using network::GridChange;
using network::GridNetwork;
using network::GridRate;
using network::RateName;
using Kind = GridRate::Kind;
using Time = RememberedChanges::Time;

constexpr const char* format = "espalier-changes";
constexpr const char* kind_of_file = "changes";

constexpr std::array<std::pair<Kind, const char*>, 5> kinds{{{Kind::shared, "shared"},
                                                             {Kind::link, "link"},
                                                             {Kind::local, "inside"},
                                                             {Kind::egress, "sending"},
                                                             {Kind::ingress, "receiving"}}};

/// A change as it is kept: what was measured, and what it is now, in bytes/s, or of a latency in s.
struct Kept {
    RateName name;
    std::optional<std::pair<double, double>> rate;
    std::optional<std::pair<double, double>> latency;
    Time since;
    Time seen;
};

std::string path_in(const std::string& folder, const RememberedChanges::Conditions& conditions) {
    if (folder.empty()) return "";
    constexpr std::size_t digits = 32;
    const std::string of =
        fmt::format("{}\n{}\n{}", conditions.network, conditions.library, ESPALIER_VERSION);
    return fs::path(folder) /
           fmt::format("{}-{}-{}.json", conditions.mpi, kind_of_file, sha256(of).substr(0, digits));
}

Json to_json(const Kept& kept) {
    const auto kind = std::ranges::find(kinds, kept.name.kind, &decltype(kinds)::value_type::first);
    Json entry{{"of", kind->second}, {"in", kept.name.grid}, {"name", kept.name.name}};
    if (kept.name.kind == Kind::link) entry["to"] = kept.name.to;
    const auto add = [&](const char* field, const auto& values) {
        if (values) entry[field] = {values->first, values->second};
    };
    add("rate_Bps", kept.rate);
    add("latency_s", kept.latency);
    entry["since_s"] = kept.since.time_since_epoch().count();
    entry["seen_s"] = kept.seen.time_since_epoch().count();
    return entry;
}

Kept parse(const JsonValue& value) {
    value.allow_only({"of", "in", "name", "to", "rate_Bps", "latency_s", "since_s", "seen_s"});
    Kept kept;
    const JsonValue of = value.at("of");
    const auto kind = std::ranges::find(kinds, of.string(), &decltype(kinds)::value_type::second);
    if (kind == kinds.end()) of.fail("no such rate");
    kept.name.kind = kind->first;
    for (const JsonValue& cluster : value.at("in").array())
        kept.name.grid.push_back(cluster.string());
    kept.name.name = value.at("name").string();
    if (kept.name.kind == Kind::link) kept.name.to = value.at("to").string();
    if (const auto rate = value.find("rate_Bps")) {
        const auto values = rate->array(2);
        kept.rate = {values[0].positive(), values[1].positive()};
    }
    if (const auto latency = value.find("latency_s"); latency && kept.name.kind == Kind::link) {
        const auto values = latency->array(2);
        kept.latency = {values[0].number(), values[1].number()};
    }
    if (!kept.rate && !kept.latency) value.fail("has neither a rate nor a latency");
    kept.since = Time(Time::duration(value.at("since_s").number()));
    const JsonValue seen = value.at("seen_s");
    kept.seen = Time(Time::duration(seen.number()));
    if (kept.seen < kept.since) seen.fail("is before since_s");
    return kept;
}

/// What a network with a change states; of another one where that differs within its uncertainty,
/// nullopt where it differs by more.
std::optional<GridChange> fit(const Kept& kept, const GridNetwork& measured) {
    const auto rate = network::find_rate(kept.name, measured);
    if (!rate) return std::nullopt;
    const auto is_alike = [&](double was, double now) {
        return std::max(was, now) <= (1 + measured.uncertainty) * std::min(was, now);
    };
    GridChange change{*rate, 1, Seconds(0)};
    if (kept.rate) {
        const double stated = network::value_of(*rate, measured).value;
        if (!is_alike(kept.rate->first, stated)) return std::nullopt;
        change.times = kept.rate->second / stated;
    }
    if (kept.latency) {
        const double stated = network::latency_of(*rate, measured).value;
        if (!is_alike(kept.latency->first, stated)) return std::nullopt;
        change.later = Seconds(kept.latency->second - stated);
    }
    return change;
}

/// The chance that what lasted from `since` until it was `seen` is over by `now`.
double chance_of_end(Time since, Time seen, Time now) {
    return now > seen ? (now - seen) / (now - since) : 0;
}

}  // namespace

RememberedChanges::RememberedChanges(const std::string& folder, const Conditions& conditions,
                                     std::shared_ptr<const PlannableNetwork> measured)
    : path_(path_in(folder, conditions)), measured_(std::move(measured)), network_(measured_) {}

std::size_t RememberedChanges::take_over(Time now) {
    const std::scoped_lock lock(mutex_);
    std::error_code error;
    if (path_.empty() || fs::status(path_, error).type() == fs::file_type::not_found) return 0;
    Json storage;
    const JsonValue document = JsonValue::parse(path_, read_kept(path_), storage);
    require_format(document, format);
    document.allow_only({"format", "version", "mpi", "espalier", "changes"});
    std::vector<Kept> all;
    for (const JsonValue& each : document.at("changes").array()) all.push_back(parse(each));
    std::size_t unfit = 0;
    for (const Kept& kept : all) {
        // Nobody knows how long ago it was where the clock went back.
        const double over = now < kept.seen ? 1 : chance_of_end(kept.since, kept.seen, now);
        const auto change = fit(kept, measured_->view().grid());
        if (!change) ++unfit;
        if (!change || over > 1 - over) {
            is_news_ = true;
            continue;
        }
        changes_.push_back({*change, kept.since, kept.seen, over});
    }
    believe();
    return unfit;
}

void RememberedChanges::believe() {
    network_ = measured_;
    if (changes_.empty()) return;
    GridNetwork grid = measured_->view().grid();
    for (const Lasting& each : changes_) grid = network::with_change(grid, each.change);
    network_ = std::make_shared<PlannableNetwork>(*measured_, std::move(grid));
}

std::shared_ptr<const PlannableNetwork> RememberedChanges::network() const {
    const std::scoped_lock lock(mutex_);
    return network_;
}

std::string RememberedChanges::in_words() const {
    const std::scoped_lock lock(mutex_);
    std::vector<GridChange> changes;
    for (const Lasting& each : changes_) changes.push_back(each.change);
    return network::in_words(changes, measured_->view().grid());
}

double RememberedChanges::over() const {
    const std::scoped_lock lock(mutex_);
    double over = 0;
    for (const Lasting& each : changes_) over = std::max(over, each.over);
    return over;
}

void RememberedChanges::conclude(const std::vector<GridChange>& changes,
                                 const std::vector<network::GridView::Place>& places, Time told,
                                 Time now) {
    const std::scoped_lock lock(mutex_);
    const network::GridView& view = measured_->view();
    const auto is_between_them = [&](const GridRate& rate) {
        return std::ranges::any_of(places, [&](const auto& from) {
            return std::ranges::any_of(places, [&](const auto& to) {
                return from != to && network::is_used(rate, view, from.leaf, to.leaf);
            });
        });
    };
    std::vector<Lasting> lasting;
    for (const Lasting& before : changes_)
        if (!is_between_them(before.change.rate)) lasting.push_back(before);
    for (const GridChange& change : changes) {
        // What is off the other way is another change. What is slow for another reason than was
        // believed has been so since that was told.
        Time since = told;
        for (const Lasting& before : changes_) {
            const GridRate& rate = before.change.rate;
            const bool is_replaced = is_between_them(rate) &&
                                     std::ranges::none_of(changes, [&](const GridChange& other) {
                                         return other.rate == rate;
                                     });
            if ((rate == change.rate || is_replaced) &&
                (before.change.times < 1) == (change.times < 1) &&
                (before.change.later.value > 0) == (change.later.value > 0))
                since = std::min(since, before.since);
        }
        lasting.push_back({change, since, now});
    }
    is_news_ = is_news_ || !changes.empty() || lasting.size() != changes_.size();
    changes_ = std::move(lasting);
    believe();
}

void RememberedChanges::saw(const schedule::Schedule& plan,
                            const std::vector<network::GridView::Place>& places, Time now) {
    const std::scoped_lock lock(mutex_);
    for (Lasting& each : changes_) {
        if (now <= each.seen ||
            messages_over(each.change.rate, plan, measured_->view(), places) == 0)
            continue;
        each.seen = now;
        each.over = 0;
        is_news_ = true;
    }
}

void RememberedChanges::keep() const {
    const std::scoped_lock lock(mutex_);
    if (!is_news_) return;
    std::error_code error;
    if (changes_.empty()) {
        if (!path_.empty()) fs::remove(path_, error);
        return;
    }
    if (path_.empty())
        throw InputError("ESPALIER_CACHE", "",
                         "no folder for what changes, and HOME is not set either");
    const fs::path folder = fs::path(path_).parent_path();
    fs::create_directories(folder, error);
    if (error) throw InputError(folder, "", error.message());
    const GridNetwork& measured = measured_->view().grid();
    Json changes = Json::array();
    for (const Lasting& each : changes_) {
        const GridRate& rate = each.change.rate;
        Kept kept{network::named(rate, measured), {}, {}, each.since, each.seen};
        if (each.change.times != 1) {
            const double was = network::value_of(rate, measured).value;
            kept.rate = {was, was * each.change.times};
        }
        if (each.change.later != Seconds(0)) {
            const double was = network::latency_of(rate, measured).value;
            kept.latency = {was, std::max(was + each.change.later.value, 0.0)};
        }
        changes.push_back(to_json(kept));
    }
    write_file(path_, to_text(Json({{"format", format},
                                    {"version", 1},
                                    {"espalier", ESPALIER_VERSION},
                                    {"changes", std::move(changes)}})));
    (void)forget_oldest(folder, kind_of_file);
}

}  // namespace espalier::runtime
