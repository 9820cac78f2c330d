#include "report/page_parts.hpp"
#include "report/page_style.hpp"
#include "report/ring_svg.hpp"
#include "report/ring_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::report {

namespace {

/// What is there is not nothing, however little it is.
std::string percentage(double part) {
    const double percent = 100 * part;
    if (percent > 0 && percent < 0.05) return "<0.1%";
    return fmt::format("{:.1f}%", percent);
}

std::string hosts_in_order(const schedule::Ring& ring, const network::LinksNetwork& network) {
    overview::Sheet sheet{
        {{"place"}, {"host", false}, {"share of the work"}, {"work takes (time)"}}, {}};
    for (std::size_t place = 0; place < ring.order.size(); ++place) {
        const network::LinksNetwork::Node& host = network.nodes[ring.order[place]];
        sheet.rows.push_back(
            {fmt::format("{}", place + 1), host.name, percentage(ring.shares[place]),
             host.cycle_time ? format_number(ring.shares[place] * ring.work * *host.cycle_time)
                             : "-"});
    }
    return table(sheet);
}

std::string links_by_use(const schedule::Ring& ring, const network::LinksNetwork& network) {
    constexpr std::size_t most_rows = 100;
    std::vector<LinkUse> uses = link_use(ring, network);
    std::erase_if(uses, [](const LinkUse& use) { return use.paths == 0; });
    std::ranges::stable_sort(uses, std::ranges::greater{}, &LinkUse::part);
    overview::Sheet sheet{{{"link", false}, {"bandwidth (exchange/time)"}, {"paths"}, {"in use"}},
                          {}};
    for (const LinkUse& use : uses) {
        if (sheet.rows.size() == most_rows) break;
        const auto& link = network.links[use.link];
        sheet.rows.push_back({link.name, format_number(link.bandwidth.value),
                              fmt::format("{}", use.paths), percentage(use.part)});
    }
    std::string html = table(sheet);
    if (uses.size() > most_rows)
        html += paragraph(fmt::format("{} links more are in use.", uses.size() - most_rows));
    return html;
}

}  // namespace

std::string ring_html(const schedule::Ring& ring, const network::LinksNetwork& network,
                      const std::string& file, const std::string& network_file,
                      const std::string& made) {
    const std::string title = title_of(ring, network);
    return begin_page(title) + heading_of_page(title, subtitle_of(ring)) + "<main>\n" +
           paragraph(
               "Times are in the unit of the hosts' cycle times, each the time for a unit of work; "
               "bandwidths in the unit of the exchange over that of time.") +
           picture(ring_svg(ring, network, false)) + heading("Hosts, in the order of the ring") +
           hosts_in_order(ring, network) + heading("Links, the fullest first") +
           links_by_use(ring, network) +
           origin({fmt::format("{}, written by espalier ring, on {}.", file, network_file),
                   fmt::format("To check it: espalier check {} --network {}.", file, network_file),
                   made}) +
           "</main>\n" + std::string(end_of_page);
}

}  // namespace espalier::report
