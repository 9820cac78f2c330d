#include "measure/computing.hpp"

#include "core/error.hpp"
#include "core/wire.hpp"

#include <algorithm>
#include <string_view>

namespace espalier::measure {

namespace {

#ifdef ESPALIER_MPI_SMPI
constexpr std::string_view own_kernel = "flops";

/// A simulator's clock sees what it is told about.
Kernel make_kernel(const std::string& path) {
    constexpr double flops = 1e6;
    if (!path.empty()) return load_kernel(path);
    return [] {
        smpi_execute_flops(flops);
        return flops;
    };
}
#else
constexpr std::string_view own_kernel = "cells of a five-point stencil";

Kernel make_kernel(const std::string& path) {
    return path.empty() ? stencil_kernel() : load_kernel(path);
}
#endif

/// The cycle time that a rank found, or why it found none.
struct Found {
    CycleTime time;
    std::string complaint;
};

Found time_own(const Channel& channel, const std::string& path, double seconds) {
    Found found;
    Kernel kernel;
    const auto attempt = [&](const auto& action) {
        try {
            if (found.complaint.empty()) action();
        } catch (const InputError& error) {
            found.complaint = error.what();
        }
    };
    attempt([&] { kernel = make_kernel(path); });
    (void)channel.broadcast("");  // so that nobody begins long before the others
    attempt([&] {
        found.time = time_kernel(
            kernel, [&] { return channel.now(); }, seconds);
        if (!(found.time.value > 0))
            found.complaint =
                "--compute: computing takes no time by this clock, so it can't be measured";
    });
    return found;
}

/// The ranks of a host compute together.
CycleTime time_of_host(const std::vector<int>& ranks, const std::vector<CycleTime>& by_rank) {
    std::vector<double> times;
    CycleTime host;
    for (const int rank : ranks) {
        const CycleTime& own = by_rank[static_cast<std::size_t>(rank)];
        times.push_back(own.value);
        host.spread = std::max(host.spread, own.spread);
        host.samples += own.samples;
    }
    host.value = together(times);
    return host;
}

}  // namespace

std::string kernel_name(const std::string& path) {
    return path.empty() ? std::string(own_kernel) : path;
}

std::vector<CycleTime> time_computing(const Channel& channel,
                                      const std::vector<std::vector<int>>& ranks_of_host,
                                      const std::string& path, double seconds) {
    const Found own = time_own(channel, path, seconds);
    WireWriter to;
    to(own.time, own.complaint);

    std::string complaint;
    std::vector<CycleTime> by_rank;
    for (const std::string& bytes : channel.gather(to.bytes())) {
        WireReader from(bytes);
        by_rank.push_back(from.take<CycleTime>());
        const auto text = from.take<std::string>();
        if (complaint.empty()) complaint = text;
    }
    complaint = channel.broadcast(complaint);
    if (!complaint.empty()) throw InputError(complaint);

    std::vector<CycleTime> by_host;
    if (by_rank.empty()) return by_host;
    for (const std::vector<int>& ranks : ranks_of_host)
        by_host.push_back(time_of_host(ranks, by_rank));
    return by_host;
}

}  // namespace espalier::measure
