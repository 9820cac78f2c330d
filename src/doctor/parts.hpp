#pragma once

#include "doctor/facts.hpp"
#include "doctor/rules.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::doctor {

/// Hosts near one another, directly or over others: within half a millisecond of round trip, or
/// three times what it is to the nearest.
class Sites {
public:
    Sites(const Facts& facts, std::size_t network);

    [[nodiscard]] std::size_t of(std::size_t host) const { return site_[host]; }
    [[nodiscard]] std::size_t count() const { return members_.size(); }
    [[nodiscard]] const std::vector<std::size_t>& members(std::size_t site) const {
        return members_[site];
    }

private:
    std::vector<std::size_t> site_;  ///< by host
    std::vector<std::vector<std::size_t>> members_;
};

/// A part of a network that may be at fault, and the ways that lead through it.
struct Part {
    /// Of two with the same ways the first one stays.
    enum class Kind {
        pair,       ///< between two hosts
        one_way,    ///< from one host to another
        host,       ///< what a host sends and receives
        sends,      ///< what a host sends
        receives,   ///< what a host receives
        sites,      ///< between two sites
        direction,  ///< from one site to another
        site,       ///< between a site and all others
        leaves,     ///< from a site to all others
        enters      ///< into a site from all others
    };
    Kind kind = Kind::host;
    std::vector<std::size_t> ends;   ///< hosts, or sites, by the kind
    std::vector<std::size_t> pairs;  ///< indices into Facts::pairs
};

/// All parts of a network that ways of `pairs` lead through. Of hosts and pairs with the same ways
/// there is one, and likewise of sites.
[[nodiscard]] std::vector<Part> parts_of(const Facts& facts, const Sites& sites,
                                         const std::vector<std::size_t>& pairs);

/// Whether a part is a host's own, between hosts, or between sites.
[[nodiscard]] bool is_of_host(Part::Kind kind);
[[nodiscard]] bool is_of_sites(Part::Kind kind);
/// Whether a part is one direction of something.
[[nodiscard]] bool is_one_direction(Part::Kind kind);
/// The hosts that a part names: of a site all.
[[nodiscard]] std::vector<std::size_t> hosts_of(const Part& part, const Sites& sites);
/// `what it sends`, `from a to b`, `what leaves the site of a and 4 more`.
[[nodiscard]] std::string text_of(const Part& part, const Facts& facts, const Sites& sites);

}  // namespace espalier::doctor
