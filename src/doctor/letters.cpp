#include "doctor/letters.hpp"

#include "core/json_reader.hpp"

namespace espalier::doctor {

namespace {

constexpr const char* from_a_host = "a host's answer";

std::uint16_t port_of(const JsonValue& value) {
    const std::uint64_t number = value.count();
    if (number > UINT16_MAX) value.fail("no port");
    return static_cast<std::uint16_t>(number);
}

std::vector<Pair> pairs_of(const JsonValue& list, std::size_t hosts, std::size_t networks) {
    std::vector<Pair> pairs;
    for (const JsonValue& pair : list.array())
        pairs.push_back(pair_from_json(pair, hosts, networks));
    return pairs;
}

Json list_of(const std::vector<Pair>& pairs) {
    Json list = Json::array();
    for (const Pair& pair : pairs) list.push_back(to_json(pair));
    return list;
}

}  // namespace

std::string to_text(const Hello& hello) {
    // As a text, because JSON's numbers are not exact up to 2^64.
    return Json{{"token", std::to_string(hello.token)},
                {"rank", hello.rank},
                {"datagrams", hello.datagrams},
                {"connections", hello.connections},
                {"host", to_json(hello.host)}}
        .dump();
}

std::optional<Hello> hello_from(const std::string& text) {
    try {
        Json storage;
        const JsonValue value = JsonValue::parse(from_a_host, text, storage);
        return Hello{.token = std::stoull(value.at("token").string()),
                     .rank = value.at("rank").count(),
                     .datagrams = port_of(value.at("datagrams")),
                     .connections = port_of(value.at("connections")),
                     .host = host_from_json(value.at("host"))};
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::string to_text(const Task& task) {
    Json goals = Json::array();
    for (const Goal& goal : task.goals)
        goals.push_back({{"host", goal.host},
                         {"network", goal.network},
                         {"address", goal.address},
                         {"datagrams", goal.datagrams},
                         {"connections", goal.connections},
                         {"packet", goal.packet}});
    return Json{{"self", task.self},    {"networks", task.networks},         {"names", task.names},
                {"goals", goals},       {"duration_s", task.duration.value}, {"small", task.small},
                {"trains", task.trains}}
        .dump();
}

Task task_from(const std::string& text) {
    Json storage;
    const JsonValue value = JsonValue::parse("the first host's task", text, storage);
    Task task;
    task.self = value.at("self").count();
    task.networks = value.at("networks").count();
    for (const JsonValue& name : value.at("names").array()) task.names.push_back(name.string());
    for (const JsonValue& goal : value.at("goals").array())
        task.goals.push_back({.host = goal.at("host").count(),
                              .network = goal.at("network").count(),
                              .address = goal.at("address").string(),
                              .datagrams = port_of(goal.at("datagrams")),
                              .connections = port_of(goal.at("connections")),
                              .packet = static_cast<unsigned>(goal.at("packet").count())});
    task.duration = Seconds(value.at("duration_s").number());
    task.small = static_cast<unsigned>(value.at("small").count());
    task.trains = static_cast<unsigned>(value.at("trains").count());
    return task;
}

std::string to_text(const std::map<std::string, std::vector<std::string>>& names) {
    Json object = Json::object();
    for (const auto& [name, addresses] : names) object[name] = addresses;
    return object.dump();
}

std::map<std::string, std::vector<std::string>> names_from(const std::string& text) {
    Json storage;
    const JsonValue value = JsonValue::parse(from_a_host, text, storage);
    std::map<std::string, std::vector<std::string>> names;
    for (const auto& [name, addresses] : value.fields()) {
        std::vector<std::string>& list = names[name];
        for (const JsonValue& address : addresses.array()) list.push_back(address.string());
    }
    return names;
}

std::string to_text(const Probed& probed) {
    return Json{{"sent", list_of(probed.sent)},
                {"received", list_of(probed.received)},
                {"overflowed", probed.overflowed}}
        .dump();
}

Probed probed_from(const std::string& text, std::size_t hosts, std::size_t networks) {
    Json storage;
    const JsonValue value = JsonValue::parse(from_a_host, text, storage);
    return {.sent = pairs_of(value.at("sent"), hosts, networks),
            .received = pairs_of(value.at("received"), hosts, networks),
            .overflowed = value.at("overflowed").count()};
}

}  // namespace espalier::doctor
