#pragma once

#include "doctor/facts.hpp"
#include "doctor/parts.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

/// Which part of a network explains best what is wrong on ways. A part explains its ways by one
/// number, the same for all of them; the best leaves the least unexplained, in its own ways and in
/// the others.
namespace espalier::doctor {

struct Blamed {
    std::size_t part = 0;  ///< index into the parts
    double value = 0;      ///< what its ways have in common
    double usual = 0;      ///< what others have
    double weight = 0;     ///< how much was seen of it
};

/// What is added to a quantity on all ways of a part, at least so much: sum of |x| less sum of
/// |x - shift|, the shift being the median of the part's x. `excess` is what is too much on a way.
[[nodiscard]] std::optional<Blamed> blame_shift(const std::vector<Part>& parts,
                                                const std::vector<std::size_t>& pairs,
                                                const std::function<double(std::size_t)>& excess,
                                                double least);

/// Packets that got lost, of which there are a few everywhere. A part has a rate of its own; what
/// speaks for it is the logarithm of how much more likely that makes what was lost (Poisson).
class Losses {
public:
    Losses(const Facts& facts, const std::vector<std::size_t>& pairs);
    [[nodiscard]] std::optional<Blamed> blame(const std::vector<Part>& parts) const;

private:
    struct Count {
        double sent = 0;
        double lost = 0;
    };
    std::map<std::size_t, Count> counts_;  ///< by pair
    double usual_ = 0;
};

/// Rates of ways, held against those of ways between the same two sites; what sites have in common,
/// against the opposite direction. A part has a rate that none of its ways exceeds: where others
/// like them are slower anyway, it changes nothing.
class Rates {
public:
    Rates(const Facts& facts, const Sites& sites, const std::vector<std::size_t>& pairs);
    [[nodiscard]] std::optional<Blamed> blame(const std::vector<Part>& parts) const;

private:
    struct Way {
        double rate = 0;
        double expected = 0;
        double opposite =
            0;  ///< what ways of the opposite direction have, if more is expected there
    };
    std::map<std::size_t, Way> ways_;  ///< by pair
    double noise_ = 0;                 ///< the median of |log(rate / expected)|
};

}  // namespace espalier::doctor
