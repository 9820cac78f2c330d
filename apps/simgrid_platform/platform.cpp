#include "platform.hpp"

#include "core/error.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <exception>
#include <string_view>
#include <unordered_map>

namespace espalier::simgrid_platform {
namespace {

namespace s4u = simgrid::s4u;
using network::LinksNetwork;

/// The message for a crash of SimGrid, which some broken platforms cause. Only a signal handler
/// needs it, which can't be given an argument.
std::string last_words;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void say_last_words(int /*signal*/) {
    [[maybe_unused]] const auto written =
        ::write(STDERR_FILENO, last_words.data(), last_words.size());
    ::_exit(static_cast<int>(ExitStatus::bad_input));
}

/// `Parse error at FILE:LINE: what` becomes `FILE: line LINE: what`.
[[noreturn]] void fail_as_simgrid(const std::string& path, std::string message) {
    std::ranges::replace(message, '\n', ' ');
    std::string_view said = message;
    constexpr std::string_view prefix = "Parse error at ";
    if (said.starts_with(prefix)) {
        said.remove_prefix(prefix.size());
        const std::size_t end = said.find(": ");
        const std::size_t colon = said.rfind(':', end == std::string_view::npos ? end : end - 1);
        if (end != std::string_view::npos && colon != std::string_view::npos)
            throw InputError(path, fmt::format("line {}", said.substr(colon + 1, end - colon - 1)),
                             std::string(said.substr(end + 2)));
    }
    throw InputError(path, "", fmt::format("SimGrid says: {}", said));
}

class Reader {
public:
    Reader(const std::string& path, const s4u::Engine& engine,
           const std::vector<std::string>& patterns)
        : path_(path) {
        for (s4u::Host* host : engine.get_all_hosts())
            if (patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
                    return ::fnmatch(pattern.c_str(), host->get_cname(), 0) == 0;
                }))
                hosts_.push_back(host);
        if (hosts_.empty())
            throw InputError(path, "",
                             patterns.empty() ? "no host" : "no host has a name that --hosts fits");
        if (hosts_.size() * (hosts_.size() - 1) > most_routes)
            throw InputError(path, "",
                             fmt::format("{} hosts have more than {} routes between them; choose "
                                         "some of them with --hosts",
                                         hosts_.size(), most_routes));
    }

    LinksNetwork read() {
        for (const s4u::Host* host : hosts_)
            network_.nodes.push_back({host->get_name(), 1 / speed_of(*host), 0});
        for (std::size_t from = 0; from < hosts_.size(); ++from)
            for (std::size_t to = 0; to < hosts_.size(); ++to)
                if (from != to) network_.routes.push_back(route(from, to));
        return std::move(network_);
    }

private:
    [[nodiscard]] double speed_of(const s4u::Host& host) const {
        const double speed = host.get_speed();
        if (!(speed > 0))
            throw InputError(path_, "",
                             fmt::format("host '{}' has no positive speed", host.get_name()));
        return speed;
    }

    LinksNetwork::Route route(std::size_t from, std::size_t to) {
        const std::string pair =
            fmt::format("from '{}' to '{}'", hosts_[from]->get_name(), hosts_[to]->get_name());
        last_words = fmt::format("espalier: {}: SimGrid finds no route {}\n", path_, pair);
        std::vector<s4u::Link*> links;
        double latency = 0;
        try {
            hosts_[from]->route_to(hosts_[to], links, &latency);
        } catch (const std::exception&) {
            throw InputError(path_, "", fmt::format("SimGrid finds no route {}", pair));
        }
        LinksNetwork::Route route{from, to, {}};
        double sum = 0;
        for (const s4u::Link* link : links) {
            route.links.push_back(index_of(*link));
            sum += link->get_latency();
        }
        constexpr double rounding = 1e-9;
        if (std::abs(sum - latency) > rounding * std::max(sum, latency))
            throw InputError(
                path_, "",
                fmt::format("the latency {} is not that of its links (coordinates?)", pair));
        return route;
    }

    std::size_t index_of(const s4u::Link& link) {
        const auto [found, is_new] = index_.emplace(&link, network_.links.size());
        if (!is_new) return found->second;
        using Policy = s4u::Link::SharingPolicy;
        LinksNetwork::Kind kind = LinksNetwork::Kind::bidirectional;
        if (link.get_sharing_policy() == Policy::FATPIPE)
            kind = LinksNetwork::Kind::backbone;
        else if (link.get_sharing_policy() != Policy::SHARED &&
                 link.get_sharing_policy() != Policy::SPLITDUPLEX)
            throw InputError(
                path_, "",
                fmt::format("link '{}' is neither shared nor a fat pipe", link.get_name()));
        network_.links.push_back({link.get_name(), std::nullopt,
                                  BytesPerSecond(link.get_bandwidth()), Seconds(link.get_latency()),
                                  kind});
        return found->second;
    }

    const std::string& path_;
    std::vector<s4u::Host*> hosts_;
    LinksNetwork network_;
    std::unordered_map<const s4u::Link*, std::size_t> index_;
};

}  // namespace

LinksNetwork read_platform(const std::string& path, const std::vector<std::string>& patterns) {
    std::vector<std::string> words{"espalier", "--log=root.threshold:critical"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int count = static_cast<int>(words.size());
    s4u::Engine engine(&count, arguments.data());
    last_words = fmt::format("espalier: {}: SimGrid can't read it\n", path);
    for (const int signal : {SIGSEGV, SIGABRT}) std::signal(signal, say_last_words);
    try {
        engine.load_platform(path);
    } catch (const std::exception& error) {
        fail_as_simgrid(path, error.what());
    }
    return Reader(path, engine, patterns).read();
}

}  // namespace espalier::simgrid_platform
