#include "testbed/kernel_changes.hpp"

#include "core/error.hpp"
#include "testbed/kernel_layout.hpp"
#include "testbed/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace espalier::testbed {

namespace {

using Program = KernelCommand::Program;

/// Classes of a device have 16 bits, and 1 is that of the paths that are as described.
constexpr std::size_t first_own_class = 2;
constexpr std::size_t most_own_classes = 0xffff - first_own_class;

/// A device with the paths that are delayed by it.
class Delay {
public:
    Delay(const std::string& device, const std::vector<HostPair>& pairs, const Topology& described)
        : device_(device), pairs_(pairs), described_(described) {}

    std::vector<std::string> change(const Topology& before, const Topology& after) {
        const bool was_alike = alike(before);
        const bool is_alike = alike(after);
        if (is_alike) {
            const std::string words = netem(after, pairs_[0]);
            if (!was_alike || words != netem(before, pairs_[0]))
                add("qdisc {} dev {} root {}", was_alike ? "change" : "replace", device_, words);
            return std::move(commands_);
        }
        if (pairs_.size() > most_own_classes)
            throw InputError(
                fmt::format("the kernel can't have more than {} paths of one latency "
                            "that differ from then on",
                            most_own_classes));
        if (was_alike) {
            add("qdisc replace dev {} root handle 1: htb default 1", device_);
            add_class(1, described_.paths(pairs_[0].from, pairs_[0].to));
        }
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            change_path(i, was_alike ? described_ : before, after);
        return std::move(commands_);
    }

private:
    template <typename... Words>
    void add(fmt::format_string<Words...> format, Words&&... words) {
        commands_.push_back(fmt::format(format, std::forward<Words>(words)...));
    }

    static std::string netem(const Topology& topology, HostPair pair) {
        return netem_words(topology.paths(pair.from, pair.to));
    }
    [[nodiscard]] bool alike(const Topology& topology) const {
        return std::ranges::all_of(pairs_, [&](const HostPair& pair) {
            return netem(topology, pair) == netem(topology, pairs_[0]);
        });
    }

    void add_class(std::size_t number, const Path& path) {
        add("class add dev {} parent 1: classid 1:{:x} htb rate 1000gbit quantum 60000", device_,
            number);
        add("qdisc add dev {} parent 1:{:x} {}", device_, number, netem_words(path));
    }

    /// A path that is not as described has a class of its own.
    void change_path(std::size_t number, const Topology& before, const Topology& after) {
        const HostPair pair = pairs_[number];
        const std::size_t own = first_own_class + number;
        const std::string was = netem(before, pair);
        const std::string is = netem(after, pair);
        const std::string usual = netem(described_, pair);
        if (is == was) return;
        if (is == usual) {
            add("filter del dev {} parent 1: protocol ip pref {} u32", device_, own);
            add("class del dev {} classid 1:{:x}", device_, own);
        } else if (was == usual) {
            add_class(own, after.paths(pair.from, pair.to));
            add("filter add dev {} parent 1: protocol ip pref {} u32 match ip src {}/32 match ip "
                "dst {}/32 flowid 1:{:x}",
                device_, own, address_of(pair.from), address_of(pair.to), own);
        } else {
            add("qdisc change dev {} parent 1:{:x} {}", device_, own, is);
        }
    }

    const std::string& device_;
    const std::vector<HostPair>& pairs_;
    const Topology& described_;
    std::vector<std::string> commands_;
};

}  // namespace

void require_kernel_can(const Change& change, const Topology& described) {
    if (change.loss && !change.queues.empty())
        throw InputError(
            fmt::format("{}: the kernel's queues lose nothing at random: its paths do, and queues "
                        "of --carrier emulator",
                        described.queues[change.queues[0]].name));
    if (!change.latency && !change.jitter && !change.loss) return;
    for (const HostPair& pair : change.paths)
        if (described.paths(pair.from, pair.to).latency == Seconds(0))
            throw InputError(
                fmt::format("from '{}' to '{}': the kernel has no netem where no latency is "
                            "described; --carrier emulator needs none",
                            described.hosts[pair.from].name, described.hosts[pair.to].name));
}

std::vector<KernelCommand> kernel_changes(const Topology& described, const Topology& before,
                                          const Topology& after) {
    const KernelLayout layout = kernel_layout(described);
    std::vector<bool> crossed(described.queues.size());
    std::map<Seconds, std::vector<HostPair>> delayed;
    for (std::size_t from = 0; from < described.hosts.size(); ++from)
        for (std::size_t to = 0; to < described.hosts.size(); ++to) {
            const Path& path = described.paths(from, to);
            for (const std::uint32_t queue : queues_of(path)) crossed[queue] = true;
            if (path.latency > Seconds(0)) delayed[path.latency].push_back({from, to});
        }

    std::vector<KernelCommand> commands;
    for (std::size_t queue = 0; queue < described.queues.size(); ++queue) {
        const std::string words = htb_words(after.queues[queue]);
        if (!crossed[queue] || words == htb_words(before.queues[queue])) continue;
        const auto& [host, device] = layout.queues[queue];
        commands.push_back(
            {Program::tc, host,
             fmt::format("class change dev {} parent 1: classid 1:1 {}", device, words)});
    }
    for (const auto& [latency, pairs] : delayed)
        for (std::string& words :
             Delay(layout.delays.at(latency), pairs, described).change(before, after))
            commands.push_back({Program::tc, std::nullopt, std::move(words)});
    return commands;
}

}  // namespace espalier::testbed
