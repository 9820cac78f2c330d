#include "core/json_reader.hpp"
#include "doctor/facts.hpp"

namespace espalier::doctor {

namespace {

Json to_json(const Interface& card) {
    Json addresses = Json::array();
    for (const Address& address : card.addresses)
        addresses.push_back(Json::array({address.text, address.prefix}));
    return {{"name", card.name},        {"addresses", addresses},      {"hardware", card.hardware},
            {"mtu", card.mtu},          {"speed_Bps", card.speed_Bps}, {"up", card.up},
            {"loopback", card.loopback}};
}

/// A text that may be empty.
std::string text_of(const JsonValue& value) {
    if (!value.raw().is_string()) value.fail("a text was expected");
    return value.raw().get<std::string>();
}

std::map<std::string, std::string> texts_of(const JsonValue& object) {
    std::map<std::string, std::string> texts;
    for (const auto& [name, value] : object.fields()) texts.emplace(name, text_of(value));
    return texts;
}

unsigned number_up_to(const JsonValue& value, std::uint64_t most) {
    const std::uint64_t number = value.count();
    if (number > most) value.fail("it is too large");
    return static_cast<unsigned>(number);
}

Interface interface_from_json(const JsonValue& value) {
    constexpr std::uint64_t most_bits = 32;
    constexpr std::uint64_t largest_packet = 1U << 24U;
    value.allow_only({"name", "addresses", "hardware", "mtu", "speed_Bps", "up", "loopback"});
    Interface card{.name = value.at("name").string(),
                   .addresses = {},
                   .hardware = text_of(value.at("hardware")),
                   .mtu = number_up_to(value.at("mtu"), largest_packet),
                   .speed_Bps = value.at("speed_Bps").number(),
                   .up = value.at("up").boolean(),
                   .loopback = value.at("loopback").boolean()};
    for (const JsonValue& entry : value.at("addresses").array()) {
        const auto parts = entry.array(2);
        card.addresses.push_back({parts[0].string(), number_up_to(parts[1], most_bits)});
    }
    return card;
}

std::optional<double> number_or_null(const JsonValue& value) {
    return value.is_null() ? std::nullopt : std::optional(value.number());
}

template <typename T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

std::size_t index_below(const JsonValue& value, std::size_t bound) {
    const std::uint64_t index = value.count();
    if (index >= bound) value.fail("there are not so many");
    return index;
}

}  // namespace

Json to_json(const Host& host) {
    Json cards = Json::array();
    for (const Interface& card : host.interfaces) cards.push_back(to_json(card));
    Json names = Json::object();
    for (const auto& [name, addresses] : host.names) names[name] = addresses;
    return {{"name", host.name},
            {"place", host.place},
            {"machine", host.machine},
            {"present", host.present},
            {"interfaces", cards},
            {"settings", Json(host.settings)},
            {"environment", Json(host.environment)},
            {"names", names},
            {"work_s", host.work_s},
            {"overflowed", host.overflowed}};
}

Host host_from_json(const JsonValue& value) {
    value.allow_only({"name", "place", "machine", "present", "interfaces", "settings",
                      "environment", "names", "work_s", "overflowed"});
    Host host{.name = value.at("name").string(),
              .place = text_of(value.at("place")),
              .machine = text_of(value.at("machine")),
              .present = value.at("present").boolean(),
              .interfaces = {},
              .settings = texts_of(value.at("settings")),
              .environment = texts_of(value.at("environment")),
              .names = {},
              .work_s = value.at("work_s").number(),
              .overflowed = value.at("overflowed").count()};
    for (const JsonValue& card : value.at("interfaces").array())
        host.interfaces.push_back(interface_from_json(card));
    for (const auto& [name, addresses] : value.at("names").fields()) {
        std::vector<std::string>& list = host.names[name];
        for (const JsonValue& address : addresses.array()) list.push_back(address.string());
    }
    return host;
}

Json to_json(const Pair& pair) {
    return {{"from", pair.from},
            {"to", pair.to},
            {"network", pair.network},
            {"small", {pair.small_sent, pair.small_received}},
            {"large", {pair.large_sent, pair.large_received}},
            {"misled", pair.misled},
            {"connects", or_null(pair.connects)},
            {"round_trip_s", or_null(pair.round_trip_s)},
            {"spread_s", or_null(pair.spread_s)},
            {"rate_Bps", or_null(pair.rate_Bps)}};
}

Pair pair_from_json(const JsonValue& value, std::size_t hosts, std::size_t networks) {
    value.allow_only({"from", "to", "network", "small", "large", "misled", "connects",
                      "round_trip_s", "spread_s", "rate_Bps"});
    const auto small = value.at("small").array(2);
    const auto large = value.at("large").array(2);
    const JsonValue connects = value.at("connects");
    return {.from = index_below(value.at("from"), hosts),
            .to = index_below(value.at("to"), hosts),
            .network = index_below(value.at("network"), networks),
            .small_sent = small[0].count(),
            .small_received = small[1].count(),
            .large_sent = large[0].count(),
            .large_received = large[1].count(),
            .misled = value.at("misled").count(),
            .connects = connects.is_null() ? std::nullopt : std::optional(connects.boolean()),
            .round_trip_s = number_or_null(value.at("round_trip_s")),
            .spread_s = number_or_null(value.at("spread_s")),
            .rate_Bps = number_or_null(value.at("rate_Bps"))};
}

void write_facts(Json& document, const Facts& facts) {
    Json hosts = Json::array();
    for (const Host& host : facts.hosts) hosts.push_back(to_json(host));
    Json pairs = Json::array();
    for (const Pair& pair : facts.pairs) pairs.push_back(to_json(pair));
    document["hosts"] = std::move(hosts);
    document["pairs"] = std::move(pairs);
}

Facts facts_from_json(const JsonValue& document) {
    Facts facts;
    for (const JsonValue& host : document.at("hosts").array())
        facts.hosts.push_back(host_from_json(host));
    if (facts.hosts.empty()) document.at("hosts").fail("there is none");
    facts.networks = networks_of(facts.hosts);
    for (const JsonValue& pair : document.at("pairs").array())
        facts.pairs.push_back(pair_from_json(pair, facts.hosts.size(), facts.networks.size()));
    return facts;
}

}  // namespace espalier::doctor
