#include "runtime/logic/call_history.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/sha256.hpp"
#include "runtime/logic/cache_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace espalier::runtime {

namespace {

namespace fs = std::filesystem;

constexpr const char* format = "espalier-calls";
constexpr const char* kind_of_file = "calls";
constexpr const char* own = "native";
/// A program that makes a communicator for each of its steps would be recorded for ever.
constexpr std::size_t most_communicators = 64;

std::string digest(const std::vector<std::string>& hosts) {
    constexpr std::size_t digits = 16;
    std::string lines;
    for (const std::string& host : hosts) lines += host + '\n';
    return sha256(lines).substr(0, digits);
}

Json turns_json(const CallRecord& record) {
    Json turns = Json::array();
    for (const CallRecord::Turn& turn : record.turns())
        turns.push_back({{"from_call", turn.begin}, {"by", turn.algorithm}});
    return turns;
}

CallRecord parse_turns(const JsonValue& value) {
    std::vector<CallRecord::Turn> turns;
    for (const JsonValue& each : value.array()) {
        each.allow_only({"from_call", "by"});
        const JsonValue begin = each.at("from_call");
        turns.push_back({begin.count(), each.at("by").string()});
        if (turns.size() == 1 ? turns[0].begin != 0
                              : turns.back().begin <= (&turns.back())[-1].begin)
            begin.fail("is not after the call before");
    }
    if (turns.empty()) value.fail("has no calls");
    return CallRecord(std::move(turns));
}

Signature parse_signature(const JsonValue& value) {
    Signature signature;
    const JsonValue collective = value.at("collective");
    const auto kind = schedule::find_kind(collective.string());
    if (!kind) collective.fail("no such collective");
    signature.kind = *kind;
    signature.root = static_cast<int>(value.at("root").count());
    signature.bytes = Bytes(value.at("bytes").count());
    signature.ordered = value.at("ordered").boolean();
    signature.uneven = value.at("uneven").boolean();
    signature.exact = false;
    return signature;
}

}  // namespace

void CallRecord::note(const std::vector<Bandit::Turn>& turns,
                      const std::vector<std::string>& plans) {
    turns_.clear();
    for (const Bandit::Turn& turn : turns)
        turns_.push_back({turn.begin, turn.variant == Bandit::native ? own : plans[turn.variant]});
}

std::vector<Bandit::Turn> CallRecord::turns_by(const PlannedCollective& plans) const {
    const std::vector<std::string> names = plans.algorithms();
    std::vector<Bandit::Turn> turns;
    for (const Turn& turn : turns_) {
        const auto plan = std::ranges::find(names, turn.algorithm);
        if (plan != names.end())
            turns.push_back({turn.begin, static_cast<Bandit::Variant>(plan - names.begin())});
        else if (turn.algorithm == own)
            turns.push_back({turn.begin, Bandit::native});
        else
            return {{0, plans.prior.expected < plans.library->expected ? 0 : Bandit::native}};
    }
    return turns;
}

CallHistory::CallHistory(const std::string& folder, Conditions conditions)
    : conditions_(std::move(conditions)) {
    if (folder.empty())
        throw InputError("ESPALIER_CACHE", "",
                         "no folder for records of calls, and HOME is not set either");
    constexpr std::size_t digits = 32;
    const std::string of =
        fmt::format("{}\n{}\n{}", conditions_.network, conditions_.library, ESPALIER_VERSION);
    path_ = fs::path(folder) / fmt::format("{}-{}-{}.json", conditions_.mpi, kind_of_file,
                                           sha256(of).substr(0, digits));
    make_folder();
    require_writable(path_);
    records_ = read();
}

void CallHistory::make_folder() const {
    const fs::path folder = fs::path(path_).parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw InputError(folder, "", error.message());
}

std::vector<CallHistory::Kept> CallHistory::read() const {
    std::error_code error;
    if (fs::status(path_, error).type() == fs::file_type::not_found) return {};
    Json storage;
    const JsonValue document = JsonValue::parse(path_, read_kept(path_), storage);
    require_format(document, format);
    document.allow_only({"format", "version", "network", "mpi", "espalier", "calls"});
    std::vector<Kept> kept;
    for (const JsonValue& each : document.at("calls").array()) {
        each.allow_only(
            {"collective", "root", "bytes", "ordered", "uneven", "hosts", "communicator", "turns"});
        kept.push_back(
            {{parse_signature(each), each.at("hosts").string(), each.at("communicator").count()},
             std::make_shared<CallRecord>(parse_turns(each.at("turns"))),
             false});
    }
    return kept;
}

CallHistory::Key CallHistory::next_key(const std::vector<std::string>& hosts,
                                       const Signature& signature) const {
    Key key{signature, digest(hosts)};
    const auto counted = std::ranges::find_if(opened_, [&](const Key& each) {
        return each.signature == key.signature && each.hosts == key.hosts;
    });
    if (counted != opened_.end()) key.communicator = counted->communicator;
    return key;
}

std::shared_ptr<CallRecord> CallHistory::peek(const std::vector<std::string>& hosts,
                                              const Signature& signature) const {
    const Key key = next_key(hosts, signature);
    if (key.communicator >= most_communicators) return nullptr;
    const auto known = std::ranges::find(records_, key, &Kept::key);
    return known == records_.end() ? std::make_shared<CallRecord>()
                                   : std::make_shared<CallRecord>(*known->record);
}

std::shared_ptr<CallRecord> CallHistory::open(const std::vector<std::string>& hosts,
                                              const Signature& signature) {
    Key key = next_key(hosts, signature);
    if (key.communicator == 0)
        opened_.push_back({key.signature, key.hosts, 1});
    else
        ++std::ranges::find(opened_, key)->communicator;
    if (key.communicator >= most_communicators) return nullptr;
    const auto known = std::ranges::find(records_, key, &Kept::key);
    if (known != records_.end()) return known->record;
    records_.push_back({std::move(key), std::make_shared<CallRecord>()});
    return records_.back().record;
}

void CallHistory::keep() const {
    const auto is_news = [](const Kept& each) {
        return each.is_new && !each.record->turns().empty();
    };
    if (std::ranges::none_of(records_, is_news)) return;
    // It may have been removed since.
    make_folder();
    // Who came first is right.
    std::vector<Kept> all = read();
    for (const Kept& each : records_)
        if (is_news(each) && std::ranges::find(all, each.key, &Kept::key) == all.end())
            all.push_back(each);
    Json calls = Json::array();
    for (const Kept& each : all)
        calls.push_back({{"collective", name_of(each.key.signature.kind)},
                         {"root", each.key.signature.root},
                         {"bytes", each.key.signature.bytes.value},
                         {"ordered", each.key.signature.ordered},
                         {"uneven", each.key.signature.uneven},
                         {"hosts", each.key.hosts},
                         {"communicator", each.key.communicator},
                         {"turns", turns_json(*each.record)}});
    write_file(path_, to_text(Json({{"format", format},
                                    {"version", 1},
                                    {"network", conditions_.network},
                                    {"mpi", conditions_.library},
                                    {"espalier", ESPALIER_VERSION},
                                    {"calls", std::move(calls)}})));
    (void)forget_oldest(fs::path(path_).parent_path(), kind_of_file);
}

}  // namespace espalier::runtime
