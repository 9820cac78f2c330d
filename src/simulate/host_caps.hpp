#pragma once

#include "simulate/fabric.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace espalier::simulate {

/// `fabric`, and for each host what it can send, and what it can receive, in all: the most that one
/// of its messages of `sizes` has alone, to or from another host. So that several messages at once
/// have no more than one. Rank r is on host[r], hosts counted from 0; what stays on a host is free
/// of it. `fabric` must outlive the result. Throws as Fabric::cost() does.
///
/// It is for networks that do not state what nodes send and receive (`egress_Bps`, `ingress_Bps`):
/// without it, messages that are all under way at once would look as fast as if each were alone.
/// Where nodes state it, what they state holds as well, and this adds only what messages take
/// beside their bytes.
[[nodiscard]] std::unique_ptr<const Fabric> with_host_caps(const Fabric& fabric,
                                                           std::vector<std::size_t> host,
                                                           const Matrix<Bytes>& sizes);

}  // namespace espalier::simulate
