#include "frontend/library_calls.hpp"

#include "core/error.hpp"
#include "frontend/grid_options.hpp"
#include "frontend/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::frontend {

using schedule::Kind;

network::GridNetwork read_hosts(const LibraryCallOptions& options) {
    const network::Network network = options.network.read();
    if (network.sender() != nullptr)
        throw InputError(options.network.name, "model",
                         "a sender network does not say what lies between two hosts");
    return as_grid(network);
}

std::vector<Kind> read_collectives(const LibraryCallOptions& options,
                                   const std::function<std::string(Kind)>& refusal) {
    const std::string where = "--collectives";
    std::vector<Kind> kinds;
    for (const std::string& name : split_list(options.collectives, where)) {
        const auto kind = schedule::find_kind(name);
        if (!kind) throw InputError(where, "", fmt::format("'{}' is none", name));
        if (const std::string why = refusal(*kind); !why.empty()) throw InputError(where, "", why);
        if (std::ranges::find(kinds, *kind) == kinds.end()) kinds.push_back(*kind);
    }
    return kinds;
}

std::vector<Bytes> read_call_sizes(const LibraryCallOptions& options, std::string_view usual) {
    return parse_sizes(options.bytes.empty() ? usual : std::string_view(options.bytes), "--bytes");
}

}  // namespace espalier::frontend
