#pragma once

#include "core/units.hpp"
#include "directory/source.hpp"
#include "directory/sqlite.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace espalier::directory {

/// Whether that is an SQLite file, by its first bytes; false also where it can't be read.
[[nodiscard]] bool is_sqlite_file(const std::string& path);

/// A directory (bhat-1998, 3.1) in one SQLite file: all measurements with their times. Processes of
/// one machine may write to it at once and read it meanwhile. Every fault is an InputError of one
/// line that names the file: it does not exist, is no directory, is from a newer version, is
/// damaged or cut off, is read-only, or has been locked for longer than one was ready to wait.
class SqliteDirectory final : public Source {
public:
    enum class Access {
        read,
        write,  ///< makes a new file where there is none, whole or not at all
    };
    static constexpr Seconds default_wait{10};

    /// `wait`: how long to wait for each lock that another process holds.
    SqliteDirectory(const std::string& path, Access access, Seconds wait = default_wait);

    [[nodiscard]] std::vector<Measurement> read(const Period& period) const override;
    [[nodiscard]] std::vector<Measurement> newest(const Period& period) const override;
    /// All nodes that ever stood in it, in the order in which they came.
    [[nodiscard]] std::vector<std::string> nodes() const override;
    /// The measurements of one pair in a period; see read().
    [[nodiscard]] std::vector<Measurement> history(const Pair& pair, const Period& period) const;

    struct PairCount {
        Pair pair;
        std::size_t measurements = 0;
    };
    /// The number of measurements of each pair, in the order of nodes().
    [[nodiscard]] std::vector<PairCount> counts(const Period& period) const;

    /// Adds all measurements, or none. `nodes` are listed first, in their order, if the directory
    /// does not know them. Throws InputError for what require_sound() refuses.
    void add(std::span<const Measurement> measurements, std::span<const std::string> nodes = {});
    /// Forgets what is older than `time`, and says how many measurements that were.
    std::size_t prune(Time time);

private:
    std::string path_;
    Database database_;
};

}  // namespace espalier::directory
