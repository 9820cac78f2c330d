#include "outputs/ring_text.hpp"

#include "core/prose.hpp"
#include "core/table.hpp"
#include "outputs/result.hpp"
#include "report/ring_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace espalier::cli {

namespace {

using network::LinksNetwork;
using report::format_number;

std::string percent(double part) {
    constexpr double least_shown = 0.0005;
    return part > 0 && part < least_shown ? "<0.1%" : fmt::format("{:.1f}%", 100 * part);
}

double message_time(const schedule::RingPath& path, const schedule::Ring& ring,
                    const LinksNetwork& network) {
    double time = network.nodes[path.from].startup + network.nodes[path.to].startup +
                  ring.exchange / path.bandwidth;
    for (const std::size_t link : path.links) time += network.links[link].latency.value;
    return time;
}

std::string links_of(const schedule::RingPath& path, const LinksNetwork& network) {
    constexpr std::size_t shown = 8;
    std::vector<std::string> names;
    for (const std::size_t link : path.links) names.push_back(network.links[link].name);
    return names.empty() ? "-" : listed(names, shown);
}

std::string host_table(const schedule::Ring& ring, const LinksNetwork& network) {
    using enum Table::Align;
    Table table({{"place", right},
                 {"host"},
                 {"share", right},
                 {"work", right},
                 {"to next", right},
                 {"bandwidth", right},
                 {"to previous", right},
                 {"bandwidth", right}});
    for (std::size_t place = 0; place < ring.order.size(); ++place) {
        const LinksNetwork::Node& host = network.nodes[ring.order[place]];
        const double work = ring.shares[place] * ring.work * *host.cycle_time;
        std::vector<std::string> row{fmt::format("{}", place + 1), host.name,
                                     percent(ring.shares[place]), format_number(work)};
        for (std::size_t p = 2 * place; p < 2 * place + 2; ++p) {
            if (ring.paths.empty()) {
                row.insert(row.end(), {"-", "-"});
                continue;
            }
            const schedule::RingPath& path = ring.paths[p];
            row.push_back(format_number(message_time(path, ring, network)));
            row.push_back(path.links.empty() ? "unlimited" : format_number(path.bandwidth));
        }
        table.add(std::move(row));
    }
    return table.text(columns_of_tables(STDOUT_FILENO));
}

std::string path_table(const schedule::Ring& ring, const LinksNetwork& network) {
    Table table({{"from"}, {"to"}, {"across"}, {"and back across"}});
    const std::size_t size = ring.order.size();
    for (std::size_t place = 0; place < size; ++place) {
        const schedule::RingPath& there = ring.paths[2 * place];
        const schedule::RingPath& back = ring.paths[2 * ((place + 1) % size) + 1];
        std::vector<std::size_t> reversed(back.links.rbegin(), back.links.rend());
        table.add({network.nodes[there.from].name, network.nodes[there.to].name,
                   links_of(there, network),
                   reversed == there.links ? "the same" : links_of(back, network)});
    }
    return table.text(columns_of_tables(STDOUT_FILENO));
}

std::string link_table(const schedule::Ring& ring, const LinksNetwork& network) {
    constexpr std::size_t most = 8;
    std::vector<report::LinkUse> uses = report::link_use(ring, network);
    std::erase_if(uses, [](const report::LinkUse& use) { return use.paths == 0; });
    std::ranges::stable_sort(uses, std::ranges::greater{}, [](const report::LinkUse& use) {
        // What rounding makes of full links is no order.
        return std::pair(static_cast<long>(1e6 * use.part), use.paths);
    });
    using enum Table::Align;
    Table table({{"most used link"}, {"bandwidth", right}, {"paths", right}, {"in use", right}});
    for (std::size_t i = 0; i < uses.size() && i < most; ++i) {
        const LinksNetwork::Link& link = network.links[uses[i].link];
        table.add({link.name, format_number(link.bandwidth.value), fmt::format("{}", uses[i].paths),
                   percent(uses[i].part)});
    }
    return table.text(columns_of_tables(STDOUT_FILENO)) +
           (uses.size() > most ? fmt::format("  and {} more in use\n", uses.size() - most)
                               : std::string());
}

}  // namespace

std::string ring_tables(const schedule::Ring& ring, const LinksNetwork& network) {
    std::string text = host_table(ring, network);
    if (ring.paths.empty()) return text;
    return text + "\n" + path_table(ring, network) + "\n" + link_table(ring, network);
}

}  // namespace espalier::cli
