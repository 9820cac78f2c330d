#pragma once

#include "directory/rules.hpp"
#include "directory/source.hpp"
#include "network/network.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace espalier::directory {

enum class Model { pairwise, grid };

struct AssembleOptions {
    Rule rule;
    /// none: `grid` where gaps say more than a start-up and a bandwidth can, where pairs without a
    /// rate of their own may take that of their clusters, or where pairs share a link.
    std::optional<Model> model;
    double tolerance = 0.2;  ///< of the partition into clusters
};

/// `pairwise` or `grid`; throws InputError that names `where`.
[[nodiscard]] Model parse_model(std::string_view text, const std::string& where);

/// The network as a source knew it at a time. Its nodes are those of which a measurement counts;
/// what nobody measured is unknown in it. What pairs had while others were active is not their own
/// cost; where they then had clearly less, they share a link (shared_links.hpp).
///
/// `pairwise`: start-up = latency + that of the gap's line (fit_line()), bandwidth that of the
/// line, or as measured; a latency that depends on size is added to the gap before. `grid`:
/// Lowekamp's clusters by latency, that without a size before others. Between two clusters, and
/// inside one, count latency and gap of the pair whose rate was measured last, tables before single
/// rates; of equals the first, by which coordinators go first. Inside a cluster, whose nodes pass
/// on what they receive, the gap is that of traffic both ways where this was measured. A pair
/// without a latency of its own has the median of its clusters. A cluster falls apart into clusters
/// of one where no rate is known inside it, or where each of its pairs has its own rate and some
/// share a link.
///
/// `measured` says where it comes from: `at`, `by`, `source`, `rule`, `measurements`, `oldest`,
/// `newest`, `oldest_age_s`, `measured_by`, and `warnings` of what could not be used. Throws
/// InputError naming `name` where nothing is known.
[[nodiscard]] network::Network assemble(const Source& source, const std::string& name, Time at,
                                        const AssembleOptions& options = {});

}  // namespace espalier::directory
