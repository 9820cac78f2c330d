#include "testbed/description.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/text.hpp"
#include "testbed/builder.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace espalier::testbed {

namespace {

using QueueNumber = std::optional<std::uint32_t>;

std::string place(const JsonValue& value) { return value.file() + ": " + value.field(); }

BytesPerSecond read_rate(const JsonValue& value) {
    const BytesPerSecond rate = parse_rate(value.string(), place(value));
    if (rate.value == 0) value.fail("the rate is 0");
    return rate;
}

std::optional<BytesPerSecond> find_rate(const JsonValue& object, const std::string& name) {
    const auto value = object.find(name);
    return value ? std::optional(read_rate(*value)) : std::nullopt;
}

std::optional<Bytes> find_buffer(const JsonValue& object) {
    const auto value = object.find("buffer");
    return value ? std::optional(parse_bytes(value->string(), place(*value))) : std::nullopt;
}

Seconds read_time(const JsonValue& value) {
    const Seconds time = parse_seconds(value.string(), place(value));
    if (time > longest_latency) value.fail("more than a minute");
    return time;
}

/// Numbers by name; a name that is used twice is an error.
class Names {
public:
    void add(const JsonValue& name) {
        if (!numbers_.emplace(name.string(), numbers_.size()).second)
            name.fail(fmt::format("the name '{}' is used twice", name.string()));
    }
    [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
        const auto found = numbers_.find(name);
        return found == numbers_.end() ? std::nullopt : std::optional(found->second);
    }

private:
    std::unordered_map<std::string, std::size_t> numbers_;
};

struct Site {
    std::string name;
    QueueNumber uplink;
    QueueNumber downlink;
};

struct Cluster {
    std::string name;
    std::optional<std::size_t> site;
    std::optional<Seconds> latency;  ///< between two of its hosts
};

/// A host's place, and its own two queues.
struct Port {
    std::size_t cluster = 0;
    std::uint32_t send = 0;
    std::uint32_t receive = 0;
};

/// What an entry of `latency` says of one direction.
struct Link {
    std::string name;
    Seconds latency;
    std::optional<BytesPerSecond> rate;
    std::optional<Bytes> buffer;
    std::string field;
    QueueNumber queue;   ///< made when the first path takes it
    bool given = false;  ///< and not taken from the opposite direction
};

class Reader {
public:
    explicit Reader(const JsonValue& document) : document_(document), builder_(document.file()) {}

    Topology read() {
        document_.allow_only({"format", "version", "sites", "clusters", "latency"});
        if (const auto sites = document_.find("sites"))
            for (const auto& site : sites->array()) read_site(site);
        for (const auto& cluster : document_.at("clusters").array()) read_cluster(cluster);
        if (clusters_.empty()) document_.at("clusters").fail("no cluster");
        if (const auto entries = document_.find("latency"))
            for (const auto& entry : entries->array()) read_latency(entry);
        lay_paths();
        return std::move(builder_).finish();
    }

private:
    using Links = std::map<std::pair<std::size_t, std::size_t>, Link>;

    [[nodiscard]] QueueNumber add_link_of_site(const JsonValue& object,
                                               const std::string& direction) {
        const auto rate = find_rate(object, direction);
        if (!rate) return std::nullopt;
        return builder_.add_queue(fmt::format("{} {}", object.at("name").string(), direction),
                                  *rate, find_buffer(object).value_or(usual_buffer(*rate)),
                                  object.at(direction).field());
    }

    void read_site(const JsonValue& object) {
        object.allow_only({"name", "uplink", "downlink", "buffer"});
        site_names_.add(object.at("name"));
        const QueueNumber uplink = add_link_of_site(object, "uplink");
        const QueueNumber downlink = add_link_of_site(object, "downlink");
        sites_.push_back({object.at("name").string(), uplink, downlink});
    }

    void read_cluster(const JsonValue& object) {
        object.allow_only({"name", "site", "hosts", "latency", "rate", "buffer"});
        cluster_names_.add(object.at("name"));
        Cluster cluster{object.at("name").string(), std::nullopt, std::nullopt};
        if (const auto site = object.find("site")) {
            cluster.site = site_names_.find(site->string());
            if (!cluster.site) site->fail(fmt::format("no site is named '{}'", site->string()));
        }
        if (const auto latency = object.find("latency")) cluster.latency = read_time(*latency);
        clusters_.push_back(std::move(cluster));
        const std::size_t hosts = read_hosts(object);
        if (hosts > 1 && !clusters_.back().latency)
            object.fail("latency is missing: it has more than one host");
    }

    std::size_t read_hosts(const JsonValue& object) {
        const BytesPerSecond rate = read_rate(object.at("rate"));
        const JsonValue hosts = object.at("hosts");
        if (hosts.is_number()) {
            const std::uint64_t count = hosts.count(1);
            for (std::uint64_t host = 0; host < count; ++host)
                add_host(object, hosts, fmt::format("{}-{}", clusters_.back().name, host), rate);
            return count;
        }
        if (!hosts.is_array()) hosts.fail("a number of hosts or a list of them was expected");
        const auto members = hosts.array();
        if (members.empty()) hosts.fail("no host");
        for (const auto& member : members) {
            if (!member.is_object()) {
                add_host(object, member, member.string(), rate);
                continue;
            }
            member.allow_only({"name", "rate"});
            add_host(object, member, member.at("name").string(),
                     find_rate(member, "rate").value_or(rate));
        }
        return members.size();
    }

    void add_host(const JsonValue& cluster, const JsonValue& place, const std::string& name,
                  BytesPerSecond rate) {
        const auto site = clusters_.back().site;
        builder_.add_host({name, clusters_.back().name, site ? sites_[*site].name : ""},
                          place.field());
        const Bytes buffer = find_buffer(cluster).value_or(usual_buffer(rate));
        const auto send = builder_.add_queue(name + " send", rate, buffer, place.field());
        const auto receive = builder_.add_queue(name + " receive", rate, buffer, place.field());
        ports_.push_back({clusters_.size() - 1, send, receive});
    }

    /// Two clusters, or two sites; where a name is borne by both, it is the cluster's.
    void read_latency(const JsonValue& entry) {
        const auto parts = entry.array();
        if (parts.size() < 3 || parts.size() > 5)
            entry.fail("[from, to, latency] was expected, and optionally a rate and a buffer");
        const auto from = cluster_names_.find(parts[0].string());
        const auto to = cluster_names_.find(parts[1].string());
        if (from && to) {
            if (*from == *to)
                entry.fail("inside one cluster, the latency is a field of the cluster");
            return add_link(between_clusters_, *from, *to, entry);
        }
        const auto from_site = site_names_.find(parts[0].string());
        const auto to_site = site_names_.find(parts[1].string());
        if (from_site && to_site) return add_link(between_sites_, *from_site, *to_site, entry);
        for (std::size_t end = 0; end < 2; ++end) {
            const std::string name = parts[end].string();
            if (!cluster_names_.find(name) && !site_names_.find(name))
                parts[end].fail(fmt::format("no cluster and no site is named '{}'", name));
        }
        entry.fail("from a site to a cluster: two clusters or two sites were expected");
    }

    static void add_link(Links& links, std::size_t from, std::size_t to, const JsonValue& entry) {
        const auto parts = entry.array();
        const std::string source = parts[0].string();
        const std::string target = parts[1].string();
        Link link{fmt::format("{} -> {}", source, target),
                  read_time(parts[2]),
                  parts.size() > 3 ? std::optional(read_rate(parts[3])) : std::nullopt,
                  parts.size() > 4 ? std::optional(parse_bytes(parts[4].string(), place(parts[4])))
                                   : std::nullopt,
                  entry.field(),
                  std::nullopt,
                  true};
        const auto known = links.find({from, to});
        if (known != links.end() && known->second.given)
            entry.fail(fmt::format("from '{}' to '{}' stands there twice", source, target));
        links.insert_or_assign({from, to}, link);
        link.name = fmt::format("{} -> {}", target, source);
        link.given = false;
        links.try_emplace({to, from}, std::move(link));
    }

    /// What leads from a cluster to another: what is said of the two, else of their sites.
    [[nodiscard]] Link& link(std::size_t from, std::size_t to) {
        const auto own = between_clusters_.find({from, to});
        if (own != between_clusters_.end()) return own->second;
        const auto from_site = clusters_[from].site;
        const auto to_site = clusters_[to].site;
        if (from_site && to_site) {
            const auto general = between_sites_.find({*from_site, *to_site});
            if (general != between_sites_.end()) return general->second;
        }
        const std::string problem = fmt::format("nothing is said from '{}' to '{}'",
                                                clusters_[from].name, clusters_[to].name);
        throw InputError(document_.file(), "latency", problem);
    }

    void lay_paths() {
        builder_.lay_paths();
        for (std::size_t from = 0; from < ports_.size(); ++from)
            for (std::size_t to = 0; to < ports_.size(); ++to)
                if (from != to) lay_path(from, to);
    }

    void lay_path(std::size_t from, std::size_t to) {
        const Cluster& source = clusters_[ports_[from].cluster];
        const Cluster& target = clusters_[ports_[to].cluster];
        Path& path = builder_.path(from, to);
        path.before.push_back(ports_[from].send);
        const bool leaves_its_site = source.site != target.site;
        if (leaves_its_site && source.site)
            if (const QueueNumber uplink = sites_[*source.site].uplink)
                path.before.push_back(*uplink);
        if (ports_[from].cluster == ports_[to].cluster) {
            path.latency = *source.latency;
        } else {
            Link& between = link(ports_[from].cluster, ports_[to].cluster);
            path.latency = between.latency;
            if (between.rate && !between.queue)
                between.queue = builder_.add_queue(
                    between.name, *between.rate,
                    between.buffer.value_or(usual_buffer(*between.rate)), between.field);
            if (between.queue) path.before.push_back(*between.queue);
        }
        if (leaves_its_site && target.site)
            if (const QueueNumber downlink = sites_[*target.site].downlink)
                path.after.push_back(*downlink);
        path.after.push_back(ports_[to].receive);
    }

    const JsonValue& document_;
    Builder builder_;
    Names site_names_;
    Names cluster_names_;
    std::vector<Site> sites_;
    std::vector<Cluster> clusters_;
    std::vector<Port> ports_;
    Links between_clusters_;
    Links between_sites_;
};

}  // namespace

Topology read_description(const JsonValue& document) { return Reader(document).read(); }

}  // namespace espalier::testbed
