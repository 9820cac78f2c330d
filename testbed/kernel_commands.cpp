#include "testbed/kernel_commands.hpp"

#include "core/error.hpp"
#include "testbed/kernel_layout.hpp"
#include "testbed/state.hpp"
#include "testbed/tun.hpp"
#include "testbed/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace espalier::testbed {

namespace {

using Program = KernelCommand::Program;

/// Tables of routes of our own begin here.
constexpr std::size_t first_table = 1000;

class Commands {
public:
    Commands(const Topology& topology, const std::vector<std::string>& namespaces)
        : topology_(topology), namespaces_(namespaces), layout_(kernel_layout(topology)) {}

    std::vector<KernelCommand> make() {
        for (const char* setting :
             {"net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0",
              "net.ipv4.conf.default.rp_filter=0", "net.ipv6.conf.default.disable_ipv6=1"})
            add(Program::sysctl, std::nullopt, setting);
        for (std::size_t host = 0; host < topology_.hosts.size(); ++host) add_host(host);
        for (std::size_t from = 0; from < topology_.hosts.size(); ++from)
            for (std::size_t to = 0; to < topology_.hosts.size(); ++to)
                if (from != to) lay(from, to);
        for (const auto& [device, steps] : steps_) add_rules(device, steps);
        std::stable_sort(
            commands_.begin(), commands_.end(),
            [](const KernelCommand& a, const KernelCommand& b) { return turn(a) < turn(b); });
        return std::move(commands_);
    }

private:
    /// Where packets of a sender (row) for a receiver go next.
    using Steps = std::map<std::size_t, std::map<std::size_t, std::string>>;

    /// Links before what is done to them, and together what one call of a program can do.
    static std::tuple<Program, bool, std::size_t> turn(const KernelCommand& command) {
        return {command.program, command.host.has_value(), command.host.value_or(0)};
    }

    void add(Program program, std::optional<std::size_t> host, std::string words) {
        commands_.push_back({program, host, std::move(words)});
    }

    /// Both ends of a pair bear one address of their own, so that what is sent by one is for the
    /// other without asking who is there.
    std::string next_address() {
        const std::size_t number = ++addresses_;
        return fmt::format("02:00:{:02x}:{:02x}:{:02x}:{:02x}", number >> 24 & 0xff,
                           number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
    }

    void limit(std::uint32_t number) {
        const auto& [host, device] = layout_.queues[number];
        const Queue& queue = topology_.queues[number];
        add(Program::tc, host,
            fmt::format("qdisc add dev {} root handle 1: htb default 1", device));
        add(Program::tc, host,
            fmt::format("class add dev {} parent 1: classid 1:1 {}", device, htb_words(queue)));
        add(Program::tc, host,
            fmt::format("qdisc add dev {} parent 1:1 bfifo limit {}", device, queue.buffer.value));
    }

    void add_host(std::size_t host) {
        const std::string router = fmt::format("h{}", host);
        const std::string mac = next_address();
        add(Program::ip, std::nullopt,
            fmt::format("link add {} address {} type veth peer name {} address {} netns {}", router,
                        mac, device_name, mac, namespaces_[host]));
        add(Program::ip, std::nullopt, fmt::format("link set {} arp off up", router));
        if (const auto queue = layout_.receives[host]) limit(*queue);
        add(Program::ip, host, "link set lo up");
        add(Program::ip, host,
            fmt::format("address add {}/16 dev {}", address_of(host), device_name));
        // A packet for each segment, so that queues count each one's framing.
        add(Program::ip, host, fmt::format("link set {} gso_max_segs 1 arp off up", device_name));
        if (const auto queue = layout_.sends[host]) limit(*queue);
    }

    /// A pair of devices: what is sent to `name` comes back from `name`x.
    void add_loop(const std::string& name) {
        const std::string mac = next_address();
        add(Program::ip, std::nullopt,
            fmt::format("link add {0} address {1} type veth peer name {0}x address {1}", name,
                        mac));
        add(Program::ip, std::nullopt, fmt::format("link set {} arp off up", name));
        add(Program::ip, std::nullopt, fmt::format("link set {}x arp off up", name));
    }

    std::string queue_device(std::uint32_t queue) {
        const std::string& name = layout_.queues[queue].name;
        if (made_.insert(name).second) {
            add_loop(name);
            limit(queue);
        }
        return name;
    }

    std::string delay_device(const Path& path) {
        const std::string& name = layout_.delays.at(path.latency);
        if (made_.insert(name).second) {
            add_loop(name);
            add(Program::tc, std::nullopt,
                fmt::format("qdisc add dev {} root {}", name, netem_words(path)));
        }
        return name;
    }

    /// The devices of a path, and which leads to which.
    void lay(std::size_t from, std::size_t to) {
        const Path& path = topology_.paths(from, to);
        std::vector<std::string> devices;
        const auto add_queue = [&](std::uint32_t queue) {
            if (queue != layout_.sends[from] && queue != layout_.receives[to])
                devices.push_back(queue_device(queue));
        };
        for (const std::uint32_t queue : path.before) add_queue(queue);
        if (path.latency > Seconds(0)) devices.push_back(delay_device(path));
        for (const std::uint32_t queue : path.after) add_queue(queue);
        if (std::set<std::string>(devices.begin(), devices.end()).size() < devices.size())
            throw InputError(
                fmt::format("the path from '{}' to '{}' crosses a link twice, which the "
                            "kernel's network can't have",
                            topology_.hosts[from].name, topology_.hosts[to].name));
        std::string last = fmt::format("h{}", from);
        for (const std::string& device : devices) {
            steps_[last][from][to] = device;
            last = device + "x";
        }
        steps_[last][from][to] = fmt::format("h{}", to);
    }

    struct Table {
        std::vector<std::size_t> senders;
        std::map<std::size_t, std::string> routes;  ///< of the receiver: what is next

        [[nodiscard]] bool agrees_with(const std::map<std::size_t, std::string>& others) const {
            return std::all_of(others.begin(), others.end(), [&](const auto& route) {
                const auto known = routes.find(route.first);
                return known == routes.end() || known->second == route.second;
            });
        }
    };

    /// Senders that can go by one table: none leads a receiver's packets elsewhere.
    static std::vector<Table> tables(const Steps& steps) {
        std::vector<Table> found;
        for (const auto& step : steps) {
            auto table = std::find_if(found.begin(), found.end(), [&](const Table& known) {
                return known.agrees_with(step.second);
            });
            if (table == found.end()) {
                found.emplace_back();
                table = found.end() - 1;
            }
            table->senders.push_back(step.first);
            table->routes.insert(step.second.begin(), step.second.end());
        }
        return found;
    }

    void add_rules(const std::string& device, const Steps& steps) {
        const auto all = tables(steps);
        for (const Table& table : all) {
            const std::size_t number = first_table + tables_++;
            if (all.size() == 1)
                add(Program::ip, std::nullopt,
                    fmt::format("rule add iif {} lookup {}", device, number));
            else
                for (const std::size_t sender : table.senders)
                    add(Program::ip, std::nullopt,
                        fmt::format("rule add iif {} from {} lookup {}", device, address_of(sender),
                                    number));
            for (const auto& [receiver, next] : table.routes)
                add(Program::ip, std::nullopt,
                    fmt::format("route add {} dev {} table {}", address_of(receiver), next,
                                number));
        }
    }

    const Topology& topology_;
    const std::vector<std::string>& namespaces_;
    KernelLayout layout_;
    std::vector<KernelCommand> commands_;
    std::set<std::string> made_;          ///< devices of queues and latencies
    std::map<std::string, Steps> steps_;  ///< of the device that packets come from
    std::size_t addresses_ = 0;
    std::size_t tables_ = 0;
};

}  // namespace

std::vector<KernelCommand> kernel_commands(const Topology& topology,
                                           const std::vector<std::string>& namespaces) {
    return Commands(topology, namespaces).make();
}

std::string kernel_script(const Topology& topology) {
    constexpr const char* router = "router";
    std::vector<std::string> names;
    std::string script = fmt::format("#!/bin/sh -e\nip netns add {}\n", router);
    for (const Host& host : topology.hosts) {
        if (host.name == router)
            throw InputError(
                fmt::format("a host is named '{}', as the namespace between them is", router));
        names.push_back(host.name);
        script += fmt::format("ip netns add {}\n", host.name);
    }
    for (const KernelCommand& command : kernel_commands(topology, names)) {
        const std::string& place = command.host ? names[*command.host] : router;
        if (command.program == Program::sysctl)
            script += fmt::format("ip netns exec {} sysctl -qw {}\n", place, command.words);
        else
            script += fmt::format("{} -n {} {}\n", command.program == Program::ip ? "ip" : "tc",
                                  place, command.words);
    }
    return script;
}

}  // namespace espalier::testbed
