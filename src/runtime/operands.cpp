#include "runtime/operands.hpp"

#include "runtime/failure.hpp"
#include "runtime/flavour.hpp"

#include <algorithm>

namespace espalier::runtime {

bool Side::is_sound(std::size_t blocks) const {
    if (!is_given() || is_in_place()) return false;
    if (counts == nullptr) return count >= 0;
    for (std::size_t block = 0; block < blocks; ++block) {
        if (counts[block] < 0) return false;
        if (types != nullptr && counts[block] > 0 && types[block] == MPI_DATATYPE_NULL)
            return false;
    }
    return true;
}

std::optional<std::size_t> Side::place_of(std::size_t rank) const {
    if (index == nullptr) return rank;
    const int place = index->of_rank[rank];
    if (place == BlockIndex::none) return std::nullopt;
    return static_cast<std::size_t>(place);
}

std::int64_t Side::count_of(std::size_t rank) const {
    const auto place = place_of(rank);
    if (!place) return 0;
    return counts != nullptr ? counts[*place] : count;
}

MPI_Datatype Side::type_of(std::size_t rank) const {
    return types != nullptr ? types[place_of(rank).value_or(0)] : type;
}

const std::byte* Side::begin_of(std::size_t rank) const {
    MPI_Count bytes = 0;
    check_handled(PMPI_Type_size_x(type, &bytes));
    const std::int64_t elements = displacements != nullptr
                                      ? displacements[rank]
                                      : static_cast<std::int64_t>(rank) * count_of(rank);
    return static_cast<const std::byte*>(base) + elements * bytes;
}

bool lies_on(const Side& side, const Side& blocks, std::size_t own) {
    return side.base != nullptr && side.type == blocks.type && side.count != 0 &&
           blocks.count_of(own) != 0 && side.base == blocks.begin_of(own);
}

bool are_one(const Side& input, const Side& output) {
    if (input.base == nullptr || input.base != output.base || input.type != output.type ||
        input.types != output.types)
        return false;
    return output.counts != nullptr ? input.counts == output.counts
                                    : input.count == output.count && input.count != 0;
}

bool are_sound(const Side& block, const Side& blocks, int rank, int ranks) {
    return blocks.is_sound(static_cast<std::size_t>(ranks)) &&
           (block.is_in_place() || block.is_sound(1)) &&
           !(lies_on(block, blocks, static_cast<std::size_t>(rank)) && Flavour::refuses_aliases());
}

Area::Area(const Side& side, std::size_t blocks, bool combines) : side_(side), combines_(combines) {
    if (side.types != nullptr) {
        elements_.resize(blocks);
        for (std::size_t block = 0; block < blocks; ++block) {
            // Neighbouring blocks have the same type as a rule. Of none nobody asks.
            if (side.count_of(block) == 0) continue;
            const bool is_known = block > 0 && side.count_of(block - 1) > 0 &&
                                  side.type_of(block) == side.type_of(block - 1);
            elements_[block] = is_known ? elements_[block - 1] : Element::of(side.type_of(block));
        }
        return;
    }
    element_ = Element::of(side.type);
    if (side.counts == nullptr || side.displacements != nullptr) return;
    std::int64_t next = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
        offsets_.push_back(next);
        next += side.counts[block];
    }
}

Run Area::elements(std::size_t block) const {
    const auto count = static_cast<std::uint64_t>(side_.count_of(block));
    const std::size_t place = side_.place_of(block).value_or(0);
    if (count == 0) return {static_cast<std::byte*>(side_.base), 0};
    const std::int64_t first = side_.displacements != nullptr ? side_.displacements[place]
                               : offsets_.empty() ? static_cast<std::int64_t>(place) * side_.count
                                                  : offsets_[place];
    const MPI_Aint step = side_.types != nullptr ? 1 : element_.extent;
    return {static_cast<std::byte*>(side_.base) + first * step, count};
}

}  // namespace espalier::runtime
