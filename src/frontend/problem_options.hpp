#pragma once

#include "core/limits.hpp"
#include "core/matrix.hpp"
#include "core/units.hpp"
#include "network/network.hpp"
#include "schedule/schedule.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::frontend {

/// A line that a person should see, beside a result.
using Warn = std::function<void(const std::string& line)>;

/// What an option names, a file or a value in memory, to be read when it is needed. An empty name:
/// not given.
template <typename Read>
struct Named {
    std::string name;  ///< which errors name
    std::function<Read> read;

    [[nodiscard]] bool empty() const { return name.empty(); }
};

/// A number for each ordered pair of these nodes, in their order; empty: nothing is said of it.
using PairNumbers = Named<Matrix<std::optional<double>>(const std::vector<std::string>& nodes)>;

/// The sizes of the blocks of an exchange, or of a collective with a block for each node.
struct BlockSizes {
    std::string name;  ///< which errors name; empty: not given
    /// Of the block that each node (row) has for each other (column); empty: none.
    decltype(PairNumbers::read) of_pairs;
    std::function<std::vector<Bytes>(const std::vector<std::string>& nodes)> of_nodes;

    [[nodiscard]] bool empty() const { return name.empty(); }
};

/// A collective that is to be planned or compared, as people say it: each field is the option of
/// that name of `espalier plan`. Empty: not given.
struct ProblemOptions {
    std::string collective;
    Named<network::Network()> network;
    std::string root;
    std::string bytes;
    BlockSizes sizes;
    std::string critical;
    PairNumbers deadlines;
    PairNumbers priorities;
    bool relays = false;
    std::string reception;
    Named<schedule::Schedule()> refine;
    std::string segment;
    std::string local;
    std::string ports;
    std::string time_limit;
    std::string robust;
    std::vector<std::string> without;
    bool ranks = false;  ///< between ranks, in place of clusters
};

/// The option of one word of that name, such as `root` or `time_limit`; nullptr: there is none.
[[nodiscard]] std::string ProblemOptions::*find_word_option(std::string_view name);

/// The limits of each algorithm that searches. Throws InputError naming `--time-limit`.
[[nodiscard]] Limits limits_of(const ProblemOptions& options);

/// A size as a matrix of numbers holds it. Throws InputError naming `where` unless it is a whole
/// number >= 0 that is exact.
[[nodiscard]] Bytes as_bytes(double number, const std::string& where);

}  // namespace espalier::frontend
