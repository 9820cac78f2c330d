#pragma once

#include "core/json.hpp"
#include "core/matrix.hpp"
#include "core/units.hpp"
#include "network/cost_table.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace espalier::network {

/// Nodes that take a time of their own each to send one unit message, whoever receives (liu-2000,
/// liu-2002). Nodes of one class are alike and named `class-0`, `class-1`, …; a node listed by
/// itself is a class of one that bears its own name. Nothing is stored per node of a class.
struct SenderNetwork {
    struct Class {
        std::string name;
        double transmission_time = 0;  ///< in `time_unit`, > 0
        std::size_t count = 1;
        bool listed_as_node = false;
    };
    std::string time_unit = "s";
    std::vector<Class> classes;

    [[nodiscard]] std::size_t size() const;
    /// The class of node `index`; nodes are numbered class by class.
    [[nodiscard]] const Class& class_of(std::size_t index) const;
    [[nodiscard]] std::string name_of(std::size_t index) const;
    /// The node of that name, in a time that does not depend on how many nodes a class has.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
};

/// Start-up and bandwidth of each ordered pair (bhat-1998). A pair that nobody measured is empty.
struct PairwiseNetwork {
    std::vector<std::string> nodes;
    Matrix<std::optional<Seconds>> startup;
    Matrix<std::optional<BytesPerSecond>> bandwidth;
    std::vector<BytesPerSecond> egress;   ///< what each node can send in total; empty: no cap
    std::vector<BytesPerSecond> ingress;  ///< what each node can receive in total; empty: no cap
    std::vector<double> cycle_times;  ///< of each node, time per unit of work, > 0; empty: unknown
    /// The relative spread of a pair's times (network/spread.hpp) where it was stated; may be
    /// empty.
    Matrix<std::optional<double>> spread = {};

    [[nodiscard]] std::size_t size() const { return nodes.size(); }
    /// The bandwidth that one message gets: its pair's, but no more than its ends can send and
    /// receive.
    [[nodiscard]] std::optional<BytesPerSecond> usable_bandwidth(std::size_t from,
                                                                 std::size_t to) const;
};

struct Cluster;

/// The listed ordered pairs of members together move at most this.
struct SharedCapacity {
    std::string name;
    BytesPerSecond capacity;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    /// The relative spread of the time that bytes take of it (network/spread.hpp); nullopt: nobody
    /// stated one.
    std::optional<double> spread = std::nullopt;
};

/// The greatest relative spread: of what is known no better, nothing can be planned.
inline constexpr double most_spread = 1000;

/// What carries messages, as far as it decides how they share a path that is too narrow for all of
/// them. On a transport of which nothing is known, all share evenly, and nothing is lost.
struct Transport {
    enum class Shares {
        evenly,
        by_round_trip  ///< each connection in inverse proportion to its round trip, as TCP's do
    };
    /// A message of at most so many bytes leaves at once, without waiting for any answer (TCP's
    /// initial window: ten segments, RFC 6928), so that such messages pass a shared path in the
    /// order in which they come to it; 0: none does.
    Bytes burst{0};
    /// The length of a full queue before a shared capacity, as the time that the capacity takes to
    /// empty it. What arrives at a full queue is lost (incast). 0: the queue is never full.
    Seconds queue{0};
    Shares shares = Shares::evenly;
    /// What a connection may have in flight (its window) is at first `burst`, and doubles with each
    /// round trip in which all of it was needed (slow start); it halves whenever the connection has
    /// been idle for a round trip, a full queue and so much more (RFC 2861; Linux's time-out).
    /// nullopt: windows never hold messages back.
    std::optional<Seconds> restart = std::nullopt;

    friend bool operator==(const Transport&, const Transport&) = default;
};

/// How messages between two clusters share if no shared capacity is stated between these.
enum class Unstated {
    shared,    ///< for all that anybody knows, messages share what one gets alone, both ways
    separate,  ///< each message has its own: all that is shared is stated
};

/// The uncertainty of networks that state none: hardly a prediction on the testbed was further off.
inline constexpr double presumed_uncertainty = 0.25;

/// Clusters of like nodes, and latency and gap between each two (steffenel-2006). Levels nest: a
/// cluster may be a grid itself.
struct GridNetwork {
    std::vector<Cluster> clusters;
    Matrix<std::optional<PLogP>> links;  ///< between clusters, from coordinator to coordinator
    std::vector<SharedCapacity> shared;
    /// The time that a message takes of processors that all nodes share (virtual machines,
    /// containers, emulated hosts), so that all messages together take their number times that; 0:
    /// each node has processors of its own. Stated by the outermost grid.
    Seconds message_time;
    Transport transport;                   ///< of the outermost grid
    Unstated unstated = Unstated::shared;  ///< of the outermost grid
    /// How far predictions of times may be off, relative, > 0: a plan that is predicted to take so
    /// much longer than another may be the faster one in truth. It is the spread of what states
    /// none. Stated by the outermost grid.
    double uncertainty = presumed_uncertainty;

    [[nodiscard]] std::size_t size() const;
};

struct Cluster {
    std::string name;
    std::vector<std::string> nodes;  ///< named nodes; empty where only their number is known
    std::size_t size = 1;            ///< number of nodes, all levels below counted
    /// The time per unit of work of each node, > 0; empty if nobody measured it.
    std::vector<double> cycle_times;

    struct Local {
        PLogP link;
    };
    struct KnownBroadcast {
        Seconds time;
    };
    /// What is known of the inside: nothing (one node), pLogP, its broadcast time, or a whole grid.
    std::variant<std::monostate, Local, KnownBroadcast, std::shared_ptr<const GridNetwork>> inside;
    /// The link between ranks of one node, if it was measured.
    std::optional<PLogP> within_node;
    /// The rates at which each of its nodes can send, and receive, in all, to and from other nodes,
    /// with any number of messages at once; nullopt: not known. In nested grids the inner clusters
    /// state them.
    std::optional<BytesPerSecond> egress;
    std::optional<BytesPerSecond> ingress;

    [[nodiscard]] const PLogP* local() const;
    [[nodiscard]] const GridNetwork* grid() const;
    /// The name of node `index` in this cluster, all levels below counted in their order:
    /// what was listed, else `cluster-index`.
    [[nodiscard]] std::string node_name(std::size_t index) const;
};

inline std::size_t GridNetwork::size() const { return clusters.size(); }

/// A physical graph (legrand-2003): hosts that compute, routers that do not, links that paths
/// share. Any path through the graph may be taken, unless `routes` says which one is.
struct LinksNetwork {
    struct Node {
        std::string name;
        std::optional<double> cycle_time;  ///< time per unit of work; none for a router
        double startup = 0;                ///< seconds before each send or receive of a host
    };
    enum class Kind { directed, bidirectional, backbone };
    struct Ends {
        std::size_t from = 0;
        std::size_t to = 0;
    };
    struct Link {
        std::string name;
        std::optional<Ends> ends;  ///< none: only `routes` tell who crosses it
        BytesPerSecond bandwidth;
        Seconds latency;
        Kind kind = Kind::bidirectional;
    };
    /// The path of messages from one host to another: what they cross, in order; indices into
    /// `nodes`, `links`.
    struct Route {
        std::size_t from = 0;
        std::size_t to = 0;
        std::vector<std::size_t> links;
    };
    std::vector<Node> nodes;
    std::vector<Link> links;
    std::vector<Route> routes;  ///< empty, or one for each ordered pair of hosts

    [[nodiscard]] std::vector<std::size_t> hosts() const;
};

/// The nodes and the costs of messages between them. An immutable value, validated when it is made.
class Network {
public:
    using Model = std::variant<SenderNetwork, PairwiseNetwork, GridNetwork, LinksNetwork>;

    /// Checks what a type can't: sizes that agree, names used once, positive times and rates.
    /// `source` is the file or whatever else an InputError shall name.
    explicit Network(Model model, const std::string& source = "network");
    Network(Model model, Json measured, const std::string& source);

    [[nodiscard]] const Model& model() const { return model_; }
    [[nodiscard]] const SenderNetwork* sender() const {
        return std::get_if<SenderNetwork>(&model_);
    }
    [[nodiscard]] const PairwiseNetwork* pairwise() const {
        return std::get_if<PairwiseNetwork>(&model_);
    }
    [[nodiscard]] const GridNetwork* grid() const { return std::get_if<GridNetwork>(&model_); }
    [[nodiscard]] const LinksNetwork* links() const { return std::get_if<LinksNetwork>(&model_); }
    /// `sender`, `pairwise`, `grid` or `links`.
    [[nodiscard]] std::string_view model_name() const;
    /// The file's `measured` object: origin, date, spread. null where there is none.
    [[nodiscard]] const Json& measured() const { return *measured_; }

private:
    Model model_;
    std::shared_ptr<const Json> measured_;
};

/// The model's own nodes: sender nodes, pairwise nodes, top-level clusters, or hosts of `links`.
[[nodiscard]] std::size_t size(const Network& network);
[[nodiscard]] std::string node_name(const Network& network, std::size_t index);

}  // namespace espalier::network
