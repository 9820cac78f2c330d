#include "outputs/call_drawings.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "network/eager.hpp"
#include "report/density_svg.hpp"
#include "report/timeline_svg.hpp"
#include "runtime/logic/library_time.hpp"
#include "runtime/logic/placement.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/logic/size_class.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/rendezvous.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace espalier::cli {

namespace {

using runtime::PlannableNetwork;
using Places = std::vector<network::GridView::Place>;

constexpr std::size_t most_drawings = 3;

std::string name_of(const runs::Call& call) {
    return fmt::format("{} {}, {}", call.collective, format_bytes(call.bytes),
                       counted(call.ranks, "rank"));
}

/// nullopt where blocks differ: their sizes are not in the file.
std::optional<runtime::Signature> signature_of(const runs::Call& call) {
    std::string name = call.collective;
    if (name == "reduce-scatter") return std::nullopt;
    if (name == "reduce-scatter-block") name = "reduce-scatter";
    const auto kind = schedule::find_kind(name);
    if (!kind) return std::nullopt;
    return runtime::Signature{.kind = *kind,
                              .root = static_cast<int>(call.root),
                              .bytes = runtime::size_class(call.bytes)};
}

/// Whether planning and simulating it takes longer than a reader waits.
bool is_long(const runs::Call& call) {
    constexpr std::uint64_t most_messages = 100'000;
    const auto kind = signature_of(call)->kind;
    return (kind == schedule::Kind::alltoall || kind == schedule::Kind::allgather) &&
           call.ranks * call.ranks > most_messages;
}

/// A band for each row of ranks in one cluster; none where there would be too many to tell apart.
std::vector<report::LaneGroup> bands_of(const network::GridView& view, const Places& places) {
    constexpr std::size_t most_bands = 40;
    std::vector<report::LaneGroup> bands;
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        if (rank == 0 || places[rank].leaf != places[rank - 1].leaf)
            bands.push_back({view.leaves()[places[rank].leaf].cluster->name, 0});
        ++bands.back().nodes;
    }
    if (bands.size() > most_bands) bands.clear();
    return bands;
}

/// Whether a bar for each message would make a page large.
bool has_many_messages(const schedule::Plan& plan) {
    constexpr std::size_t most_messages = 600;
    return plan.schedule.transfers.size() > most_messages;
}

std::vector<std::string> names_of(const std::vector<std::string>& hosts) {
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank)
        names.push_back(fmt::format("{} {}", rank, hosts[rank]));
    return names;
}

std::optional<CallDrawing> draw(const runs::Run& run, const runs::Call& call,
                                const PlannableNetwork& network, const Places& places) {
    const network::GridView& view = network.view();
    const auto signature = signature_of(call);
    const runtime::Policy policy{.planning = runtime::Settings::Planning::always};
    const auto ranks = runtime::plan_ranks(view, places, *signature, {}, policy);
    if (ranks.schedules.empty()) return std::nullopt;
    const auto fabric = simulate::make_rank_fabric(view, places);
    schedule::Plan ours;
    ours.schedule = *ranks.schedules.front();
    ours.timeline = simulate::simulate(ours.schedule, *fabric);
    ours.lower_bound = ranks.shares.front().bound;
    ours.scope = schedule::BoundScope::any;
    const Bytes eager = network.eager(run.mpi).value_or(Bytes(network::usual_eager_bytes(run.mpi)));
    schedule::Plan library =
        runtime::library_plan(*simulate::with_rendezvous(*fabric, eager), *signature, {});
    ours.schedule.nodes = library.schedule.nodes = names_of(run.hosts);

    report::TimelineOptions look;
    look.groups = bands_of(view, places);
    look.critical_path = true;
    look.until = std::max(ours.timeline.makespan, library.timeline.makespan);
    CallDrawing drawing;
    drawing.call = name_of(call);
    drawing.caption = fmt::format(
        "Simulated on this network: {} by {}, {} by the best algorithm that knows nothing of it.",
        format_seconds(ours.timeline.makespan), ours.schedule.algorithm,
        format_seconds(library.timeline.makespan));
    if (call.gain && call.gain->measured)
        drawing.caption +=
            fmt::format(" Timed in the program: {} by plan, {} by MPI.",
                        format_seconds(call.gain->planned), format_seconds(call.gain->own));
    // Pictures of two kinds would have two scales.
    const auto picture = has_many_messages(ours) || has_many_messages(library)
                             ? report::density_svg
                             : report::timeline_svg;
    look.title = fmt::format("{}, by {}", drawing.call, ours.schedule.algorithm);
    drawing.planned = picture(ours, look);
    look.title = fmt::format("{}, by an MPI library", drawing.call);
    drawing.library = picture(library, look);
    return drawing;
}

}  // namespace

CallDrawings draw_calls(const runs::Run& run, const network::Network& network,
                        const std::string& source) {
    CallDrawings all;
    if (run.hosts.size() != run.ranks) {
        all.left_out = "the file does not say on which host each rank was";
        return all;
    }
    const PlannableNetwork plannable(network, source);
    const runtime::Placement placement = runtime::place_hosts(plannable.view(), run.hosts);
    if (!placement.missing.empty()) {
        all.left_out = fmt::format("{} has no {}", source, listed(placement.missing, 3));
        return all;
    }
    for (const runs::Call& call : run.calls) {
        if (all.drawings.size() == most_drawings) break;
        if (call.is_native() || call.ranks != run.ranks || !signature_of(call)) continue;
        if (is_long(call)) {
            all.left_out =
                fmt::format("{} has too many messages to be planned here", name_of(call));
            continue;
        }
        if (auto drawing = draw(run, call, plannable, placement.places))
            all.drawings.push_back(std::move(*drawing));
    }
    if (all.drawings.empty() && all.left_out.empty())
        all.left_out = "no call of all ranks, with blocks alike, was planned";
    return all;
}

}  // namespace espalier::cli
