#include "frontend/ordering.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "frontend/host_list.hpp"
#include "schedule/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace espalier::frontend {

namespace {

using libraries::Call;
using network::GridView;
using schedule::Kind;

constexpr std::string_view usual_sizes = "1KiB,64KiB,1MiB";
/// Of a total exchange every order has the same pairs.
constexpr std::array usual_kinds{Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::allgather};
/// Of a search that is told nothing else: about ten seconds.
constexpr std::uint64_t usual_steps = 4'000'000'000;

std::vector<Kind> kinds_of(const OrderOptions& options, const libraries::Library& library) {
    if (!options.collectives.empty())
        return read_collectives(options, [&](Kind kind) {
            return library.performs(kind) ? ""
                                          : fmt::format("it is not known how {} does a {}",
                                                        library.title, schedule::name_of(kind));
        });
    std::vector<Kind> kinds;
    for (const Kind kind : usual_kinds)
        if (library.performs(kind)) kinds.push_back(kind);
    return kinds;
}

Limits limits_of(const OrderOptions& options) {
    if (options.time_limit.empty()) return {Seconds(1e8), usual_steps};
    return {parse_seconds(options.time_limit, "--time-limit")};
}

}  // namespace

OrderedHosts order_hosts(const OrderOptions& options) {
    OrderedHosts ordered;
    ordered.file = &libraries::find_host_file(options.target, "--for");
    ordered.library = &libraries::find_library(
        options.library.empty() ? ordered.file->library : std::string_view(options.library),
        "--library");
    const auto kinds = kinds_of(options, *ordered.library);
    const auto sizes = read_call_sizes(options, usual_sizes);
    const Limits limits = limits_of(options);
    const network::GridNetwork grid = read_hosts(options);
    const GridView view(grid);
    const HostList listed = list_hosts(options.hosts, options.slots, view);
    ordered.slots = listed.slots;
    const std::size_t ranks = listed.hosts.size() * ordered.slots;
    libraries::OrderProblem problem{&view, listed.places, ordered.slots, ordered.library, {}};
    if (ranks > 1)
        for (const Kind kind : kinds)
            for (const Bytes size : sizes) problem.calls.push_back({kind, ranks, size});
    try {
        ordered.order = libraries::find_order(problem, limits);
    } catch (const InputError& error) {
        throw InputError(options.network.name, "", error.what());
    }
    for (const std::size_t host : ordered.order.hosts) ordered.hosts.push_back(listed.hosts[host]);
    ordered.is_as_given = ordered.hosts == listed.hosts;
    return ordered;
}

Json to_json(const OrderedHosts& ordered) {
    Json calls = Json::array();
    for (const libraries::Order::Timed& call : ordered.order.calls)
        calls.push_back({{"collective", schedule::name_of(call.call.kind)},
                         {"bytes", call.call.bytes.value},
                         {"algorithm", call.algorithm->name},
                         {"given_s", call.given.value},
                         {"ordered_s", call.ordered.value}});
    return {{"format", "espalier-order"},   {"version", 1},
            {"for", ordered.file->name},    {"library", ordered.library->name},
            {"hosts", ordered.hosts},       {"slots", ordered.slots},
            {"gain", ordered.order.gain()}, {"calls", std::move(calls)}};
}

}  // namespace espalier::frontend
