#include "importers/graphml.hpp"

#include "network/unique_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace espalier::importers {

namespace {

using network::LinksNetwork;

constexpr double earth_radius_m = 6371e3;
constexpr double speed_in_fibre_m_per_s = 299'792'458.0 * 2 / 3;

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

struct Place {
    double latitude = 0;
    double longitude = 0;
};

/// One of the file's nodes; its number in the network only if a link joins it.
struct Vertex {
    pugi::xml_node element;
    std::string label;
    std::optional<Place> place;
    bool computes = true;
    std::optional<std::size_t> number;
};

class Reader {
public:
    Reader(const XmlFile& file, const GraphmlOptions& options) : file_(file), options_(options) {}

    Imported read() {
        if (!is_graphml(file_)) file_.fail(file_.root(), "the root element is not graphml");
        const pugi::xml_node graph = only_graph();
        for (const auto& key : file_.root().children("key")) add_key(key);
        const bool directed = is_directed(graph);
        for (const auto& child : graph.children())
            if (is_named(child, "node"))
                add_vertex(child);
            else if (is_named(child, "hyperedge"))
                file_.fail(child, "hyperedge elements are not supported");
        number_vertices(graph);
        for (const auto& edge : graph.children("edge")) add_link(edge, directed);
        if (result_.network.links.empty())
            file_.fail(graph, "no edge joins two nodes of the graph");
        report();
        return std::move(result_);
    }

private:
    static bool is_named(const pugi::xml_node& node, std::string_view name) {
        return name == node.name();
    }

    [[nodiscard]] pugi::xml_node only_graph() const {
        const pugi::xml_node graph = file_.root().child("graph");
        if (!graph) file_.fail(file_.root(), "there is no graph in it");
        if (const auto other = graph.next_sibling("graph"))
            file_.fail(other, "one more graph; only files of one graph are supported");
        return graph;
    }

    void add_key(const pugi::xml_node& key) {
        const std::string id = required(key, "id");
        if (!keys_.emplace(id, key).second)
            file_.fail(key, fmt::format("the key '{}' is defined twice", id));
    }

    [[nodiscard]] bool is_directed(const pugi::xml_node& graph) const {
        const std::string value = required(graph, "edgedefault");
        if (value != "directed" && value != "undirected")
            file_.fail(graph,
                       fmt::format("edgedefault is '{}', neither directed nor undirected", value));
        return value == "directed";
    }

    [[nodiscard]] std::string required(const pugi::xml_node& node, const char* name) const {
        const auto attribute = node.attribute(name);
        if (!attribute) file_.fail(node, fmt::format("a {} without {}", node.name(), name));
        return attribute.value();
    }

    /// The element that holds the value of this name: the data, or else the key's default.
    [[nodiscard]] pugi::xml_node value_of(const pugi::xml_node& element,
                                          std::string_view name) const {
        for (const auto& data : element.children("data")) {
            const auto key = keys_.find(required(data, "key"));
            if (key == keys_.end())
                file_.fail(data, fmt::format("no key '{}' is defined", required(data, "key")));
            if (name == key->second.attribute("attr.name").value()) return data;
        }
        for (const auto& [id, key] : keys_) {
            const std::string_view domain = key.attribute("for").value();
            if (name == key.attribute("attr.name").value() && key.child("default") &&
                (domain == element.name() || domain == "all"))
                return key.child("default");
        }
        return {};
    }

    [[nodiscard]] std::optional<double> number(const pugi::xml_node& element,
                                               std::string_view name) const {
        const pugi::xml_node value = value_of(element, name);
        const std::string_view text = trimmed(value.text().get());
        if (text.empty()) return std::nullopt;
        double number = 0;
        const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (fault != std::errc{} || rest != text.data() + text.size() || !std::isfinite(number))
            file_.fail(value, fmt::format("{}: '{}' is not a number", name, text));
        return number;
    }

    [[nodiscard]] std::optional<double> coordinate(const pugi::xml_node& element,
                                                   std::string_view name, double limit) const {
        const auto degrees = number(element, name);
        if (degrees && std::abs(*degrees) > limit)
            file_.fail(value_of(element, name),
                       fmt::format("{}: {} is not from {} to {}", name, *degrees, -limit, limit));
        return degrees;
    }

    void add_vertex(const pugi::xml_node& element) {
        for (const char* part : {"graph", "port"})
            if (const auto child = element.child(part))
                file_.fail(child, fmt::format("a {} in a node is not supported", part));
        const std::string id = required(element, "id");
        if (!vertex_of_.emplace(id, vertices_.size()).second)
            file_.fail(element, fmt::format("the id '{}' is used twice", id));
        Vertex vertex{element, std::string(trimmed(value_of(element, "label").text().get())),
                      std::nullopt, true, std::nullopt};
        if (vertex.label.empty()) vertex.label = "node-" + id;
        const auto latitude = coordinate(element, "Latitude", 90);
        const auto longitude = coordinate(element, "Longitude", 180);
        if (latitude && longitude) vertex.place = Place{*latitude, *longitude};
        vertex.computes = number(element, "Internal").value_or(1) != 0 &&
                          number(element, "hyperedge").value_or(0) == 0;
        vertices_.push_back(std::move(vertex));
    }

    [[nodiscard]] std::size_t end_of(const pugi::xml_node& edge, const char* name) const {
        const std::string id = required(edge, name);
        const auto found = vertex_of_.find(id);
        if (found == vertex_of_.end())
            file_.fail(edge, fmt::format("{}: no node has the id '{}'", name, id));
        return found->second;
    }

    /// Bits per second, as the file states it.
    [[nodiscard]] std::optional<double> speed_of(const pugi::xml_node& edge) const {
        auto speed = number(edge, "LinkSpeedRaw");
        const char* source = "LinkSpeedRaw";
        const pugi::xml_node stated = value_of(edge, "LinkSpeedUnits");
        const std::string_view unit = trimmed(stated.text().get());
        if (!speed && !unit.empty()) {
            source = "LinkSpeed";
            constexpr std::string_view prefixes = "KMGT";
            const auto power = prefixes.find(unit.front() == 'k' ? 'K' : unit.front());
            const std::string_view rest = unit.substr(1);
            if (power == std::string_view::npos ||
                (!rest.empty() && rest != "bps" && rest != "b/s" && rest != "bit/s"))
                file_.fail(stated, fmt::format("LinkSpeedUnits: '{}' is not K, M, G or T", unit));
            speed = number(edge, source);
            if (speed) *speed *= std::pow(1000, static_cast<double>(power + 1));
        }
        if (speed && *speed <= 0)
            file_.fail(value_of(edge, source), fmt::format("{}: it must be positive", source));
        return speed;
    }

    [[nodiscard]] Seconds latency_between(const Vertex& a, const Vertex& b) {
        if (!a.place || !b.place) {
            ++without_place_;
            return options_.latency;
        }
        return Seconds(great_circle(a.place->latitude, a.place->longitude, b.place->latitude,
                                    b.place->longitude) /
                       speed_in_fibre_m_per_s);
    }

    /// Numbers the vertices that an edge joins to another one, in the order of the file.
    void number_vertices(const pugi::xml_node& graph) {
        std::vector<char> joined(vertices_.size(), 0);
        for (const auto& edge : graph.children("edge")) {
            const std::size_t source = end_of(edge, "source");
            const std::size_t target = end_of(edge, "target");
            if (source != target) joined[source] = joined[target] = 1;
        }
        for (std::size_t v = 0; v < vertices_.size(); ++v) {
            Vertex& vertex = vertices_[v];
            if (joined[v] == 0) continue;
            vertex.number = result_.network.nodes.size();
            result_.network.nodes.push_back({node_names_.take(vertex.label),
                                             vertex.computes ? options_.cycle_time : std::nullopt,
                                             0});
        }
    }

    void add_link(const pugi::xml_node& edge, bool directed) {
        const Vertex& source = vertices_[end_of(edge, "source")];
        const Vertex& target = vertices_[end_of(edge, "target")];
        if (const auto own = edge.attribute("directed")) directed = own.as_bool();
        if (&source == &target) {
            ++loops_;
            return;
        }
        const auto speed = speed_of(edge);
        if (!speed) ++without_speed_;
        const std::size_t from = *source.number;
        const std::size_t to = *target.number;
        const auto& nodes = result_.network.nodes;
        result_.network.links.push_back(
            {link_names_.take(fmt::format("{} - {}", nodes[from].name, nodes[to].name)),
             LinksNetwork::Ends{from, to}, speed ? BytesPerSecond(*speed / 8) : options_.speed,
             latency_between(source, target),
             directed ? LinksNetwork::Kind::directed : LinksNetwork::Kind::bidirectional});
    }

    void report() {
        const std::size_t links = result_.network.links.size();
        auto& warnings = result_.warnings;
        if (without_speed_ > 0)
            warnings.push_back(fmt::format("{} of {} links state no speed: {:g} Gbit/s each",
                                           without_speed_, links, options_.speed.value * 8e-9));
        if (without_place_ > 0)
            warnings.push_back(
                fmt::format("{} of {} links have an end without coordinates: {:g} ms each",
                            without_place_, links, options_.latency.value * 1e3));
        if (loops_ > 0)
            warnings.push_back(
                fmt::format("edges from a node to itself (here {}) are left out", loops_));
        std::vector<std::string> alone;
        for (const Vertex& vertex : vertices_)
            if (!vertex.number) alone.push_back(vertex.label);
        if (!alone.empty())
            warnings.push_back(
                fmt::format("nodes without links are left out: {}", fmt::join(alone, ", ")));
    }

    const XmlFile& file_;
    const GraphmlOptions& options_;
    std::unordered_map<std::string, pugi::xml_node> keys_;
    std::vector<Vertex> vertices_;
    std::unordered_map<std::string, std::size_t> vertex_of_;
    network::UniqueNames node_names_;
    network::UniqueNames link_names_;
    Imported result_;
    std::size_t without_speed_ = 0;
    std::size_t without_place_ = 0;
    std::size_t loops_ = 0;
};

}  // namespace

bool is_graphml(const XmlFile& file) { return std::string_view(file.root().name()) == "graphml"; }

Imported read_graphml(const XmlFile& file, const GraphmlOptions& options) {
    return Reader(file, options).read();
}

double great_circle(double latitude_a, double longitude_a, double latitude_b, double longitude_b) {
    constexpr double radians = std::numbers::pi / 180;
    const double a = latitude_a * radians;
    const double b = latitude_b * radians;
    const double across = (longitude_b - longitude_a) * radians;
    // The angle from its sine and its cosine: exact for near and for opposite places alike.
    const double sine =
        std::hypot(std::cos(b) * std::sin(across),
                   std::cos(a) * std::sin(b) - std::sin(a) * std::cos(b) * std::cos(across));
    const double cosine = std::sin(a) * std::sin(b) + std::cos(a) * std::cos(b) * std::cos(across);
    return earth_radius_m * std::atan2(sine, cosine);
}

}  // namespace espalier::importers
