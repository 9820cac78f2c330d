#pragma once

#include "core/json.hpp"
#include "network/network.hpp"
#include "sender/problem.hpp"
#include "sender/result.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace espalier::sender {

/// A claim that comes with its proof: no schedule of this collective on this network is over
/// before `lower_bound()`. What it takes to check it is in verify_certificate.hpp.
struct Certificate {
    schedule::Kind kind = schedule::Kind::broadcast;  ///< or reduce
    std::optional<std::string> root;                  ///< a node's name; none: whichever the root
    std::size_t ports = 1;                            ///< communications of a node at once
    std::string network;                              ///< its fingerprint; may be empty
    std::string time_unit = "s";
    Proof proof;

    /// The proven lower bound, in the network's own unit.
    [[nodiscard]] double lower_bound() const { return proof.bound(); }
};

/// A certificate of what `proof` proves of `problem`. Classes that come to the same time become
/// one, and times past the bound are cut to it: no such node is done with a send in time.
/// `root`: the name of the node that was asked for, none where there was none.
[[nodiscard]] Certificate make_certificate(const Proof& proof, const Problem& problem,
                                           std::optional<std::string> root,
                                           const network::SenderNetwork& network,
                                           std::string fingerprint);

/// Format `espalier-certificate`, version 1.
[[nodiscard]] Json to_json(const Certificate& certificate);
/// Reads what a file claims, and checks its form only. Throws InputError naming file and field.
[[nodiscard]] Certificate parse_certificate(const std::string& text, const std::string& source);
[[nodiscard]] Certificate read_certificate(const std::string& path);

}  // namespace espalier::sender
