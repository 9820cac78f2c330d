#include "sender/certificate.hpp"

#include "core/files.hpp"
#include "core/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier::sender {

namespace {

/// A whole number that may need all the bits of a Ticks.
std::int64_t whole(const JsonValue& value, std::int64_t least) {
    const Json& raw = value.raw();
    if (!raw.is_number_integer() ||
        (raw.is_number_unsigned() && raw.get<std::uint64_t>() > std::uint64_t{1} << 61))
        value.fail("a whole number up to 2^61 was expected");
    const auto number = raw.get<std::int64_t>();
    if (number < least) value.fail(fmt::format("at least {} was expected", least));
    return number;
}

Proof::Class read_class(const JsonValue& object) {
    object.allow_only({"time", "count", "price"});
    return {.time = whole(object.at("time"), 1),
            .count = object.at("count").count(1),
            .price = whole(object.at("price"), 0)};
}

}  // namespace

Certificate make_certificate(const Proof& proof, const Problem& problem,
                             std::optional<std::string> root, const network::SenderNetwork& network,
                             std::string fingerprint) {
    Certificate certificate{.kind = problem.kind,
                            .root = std::move(root),
                            .ports = problem.ports,
                            .network = std::move(fingerprint),
                            .time_unit = network.time_unit,
                            .proof = proof};
    auto& classes = certificate.proof.classes;
    classes.clear();
    for (Proof::Class members : proof.classes) {
        members.time = std::min(members.time, proof.lower_bound);
        if (!classes.empty() && classes.back().time == members.time) {
            classes.back().count += members.count;
            // Slots are worth what the cheaper of the two leaves of them, so nothing is lost.
            classes.back().price = std::min(classes.back().price, members.price);
        } else {
            classes.push_back(members);
        }
    }
    return certificate;
}

Json to_json(const Certificate& certificate) {
    const Proof& proof = certificate.proof;
    Json document{{"format", "espalier-certificate"},
                  {"version", 1},
                  {"collective", schedule::name_of(certificate.kind)}};
    if (certificate.root) document["root"] = *certificate.root;
    document["ports"] = certificate.ports;
    if (!certificate.network.empty()) document["network"] = certificate.network;
    document["time_unit"] = certificate.time_unit;
    document["tick"] = proof.tick;
    Json classes = Json::array();
    for (const auto& members : proof.classes)
        classes.push_back(
            {{"time", members.time}, {"count", members.count}, {"price", members.price}});
    document["classes"] = std::move(classes);
    document["price_unit"] = proof.price_unit;
    document["deadline"] = proof.deadline;
    document["lower_bound"] = proof.lower_bound;
    return document;
}

Certificate parse_certificate(const std::string& text, const std::string& source) {
    Json storage;
    const JsonValue document = JsonValue::parse(source, text, storage);
    require_format(document, "espalier-certificate");
    document.allow_only({"format", "version", "collective", "root", "ports", "network", "time_unit",
                         "tick", "classes", "price_unit", "deadline", "lower_bound"});
    Certificate certificate;
    const JsonValue collective = document.at("collective");
    const auto kind = schedule::find_kind(collective.string());
    if (kind != schedule::Kind::broadcast && kind != schedule::Kind::reduce)
        collective.fail(fmt::format("'{}' is not broadcast or reduce", collective.string()));
    certificate.kind = *kind;
    if (const auto root = document.find("root")) certificate.root = root->string();
    certificate.ports = document.at("ports").count(1);
    if (const auto network = document.find("network")) certificate.network = network->string();
    certificate.time_unit = document.at("time_unit").string();
    Proof& proof = certificate.proof;
    proof.tick = document.at("tick").positive();
    const JsonValue classes = document.at("classes");
    for (const JsonValue& object : classes.array()) {
        proof.classes.push_back(read_class(object));
        const std::size_t last = proof.classes.size() - 1;
        if (last > 0 && proof.classes[last].time <= proof.classes[last - 1].time)
            object.at("time").fail("not greater than that of the class before");
    }
    if (proof.classes.empty()) classes.fail("no class");
    proof.price_unit = whole(document.at("price_unit"), 1);
    proof.deadline = whole(document.at("deadline"), 0);
    const JsonValue lower_bound = document.at("lower_bound");
    proof.lower_bound = whole(lower_bound, 0);
    if (proof.lower_bound <= proof.deadline) lower_bound.fail("not beyond the deadline");
    return certificate;
}

Certificate read_certificate(const std::string& path) {
    return parse_certificate(read_file(path), path);
}

}  // namespace espalier::sender
