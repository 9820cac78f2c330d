#pragma once

#include "core/matrix.hpp"
#include "core/random.hpp"
#include "core/units.hpp"

#include <cstddef>

namespace espalier::network {

/// The sizes of the blocks of a total exchange (bhat-1998, section 5).
enum class SizePattern {
    small,    ///< every message is small
    large,    ///< every message is large
    uniform,  ///< every size is drawn evenly from the small one up to the large one
    mixed,    ///< every message is small or large, at even odds
    servers,  ///< large from servers to all that are none; small else
};

struct RandomSizesOptions {
    std::size_t nodes = 16;
    SizePattern pattern = SizePattern::mixed;
    Bytes small{1'000};
    Bytes large{1'000'000};
    double servers = 0.2;  ///< what part of the nodes serves; which ones is drawn
};

/// The row sends to the column; nothing on the diagonal. Throws InputError on no node, a small size
/// over the large one, or a part that is not from 0 to 1.
[[nodiscard]] Matrix<Bytes> random_sizes(const RandomSizesOptions& options, Random& random);

}  // namespace espalier::network
