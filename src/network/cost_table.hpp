#pragma once

#include "core/units.hpp"

#include <optional>
#include <span>
#include <vector>

namespace espalier::network {

/// A time as a function of message size: pLogP's gap g(m), or a latency that depends on size.
/// Constant below its first entry, linear between entries, extended past the last by its last slope
/// (constant with one entry).
class CostTable {
public:
    struct Entry {
        Bytes size;
        Seconds time;
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    /// A table of one time for all sizes.
    explicit CostTable(Seconds constant = Seconds(0)) : entries_{{Bytes(0), constant}} {}
    /// Entries by strictly increasing size, at least one, times finite and >= 0; throws
    /// std::invalid_argument otherwise.
    explicit CostTable(std::vector<Entry> entries);

    [[nodiscard]] Seconds operator()(Bytes size) const;
    [[nodiscard]] bool is_constant() const { return entries_.size() == 1; }
    [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
    /// The least time per byte of any message of at most `size` bytes: what a message cut into
    /// segments can't beat. On each linear piece time/size is monotone, so only ends count.
    [[nodiscard]] double least_per_byte(Bytes size) const;

    friend bool operator==(const CostTable&, const CostTable&) = default;

private:
    std::vector<Entry> entries_;
};

/// The parameterised LogP model of one link (Kielmann et al.): a message of m bytes occupies its
/// sender for gap(m), and its receiver for gap(m) beginning latency(m) later.
struct PLogP {
    CostTable latency;
    CostTable gap;
    /// The relative spread of both (network/spread.hpp); nullopt: nobody stated one.
    std::optional<double> spread = std::nullopt;

    [[nodiscard]] Seconds delivery(Bytes size) const { return latency(size) + gap(size); }
    friend bool operator==(const PLogP&, const PLogP&) = default;
};

}  // namespace espalier::network
