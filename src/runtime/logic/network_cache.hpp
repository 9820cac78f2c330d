#pragma once

#include "core/units.hpp"
#include "network/network.hpp"
#include "runtime/logic/settings.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::runtime {

/// The circumstances under which a network was measured. If any of them differs, the measurement
/// may be wrong.
struct CacheKey {
    std::string mpi;                 ///< `openmpi`, `mpich`
    std::string library;             ///< version, as MPI_Get_library_version says it
    std::vector<std::string> hosts;  ///< in any order, some more than once
    bool shares_hosts = false;       ///< some host has several ranks
    /// NAME=value of the variables that choose how messages travel.
    std::vector<std::string> transport;
};

/// The variables of `environment` that choose an MPI library's transport, as NAME=value.
[[nodiscard]] std::vector<std::string> transport_variables(const Environment& environment);

/// The network files that an administrator may provide for all programs, the best first:
/// espalier/network.json in each folder of $XDG_CONFIG_DIRS, else in /etc/xdg.
[[nodiscard]] std::vector<std::string> site_files(const Environment& environment);

/// Networks that were measured, one file for each key: an `espalier-network` whose key `x-cache`
/// says what it is of, and by which version of Espalier it was measured; beside it, where a later
/// measurement may go on, a file of notes for that one. Several processes may use a folder at once;
/// each file is replaced as a whole.
class NetworkCache {
public:
    /// `folder` may be empty (there is none then), and is made when something is kept.
    explicit NetworkCache(std::string folder) : folder_(std::move(folder)) {}

    /// A measurement that is older is worth less than measuring anew.
    static constexpr Seconds most_age{7 * 24 * 3600};

    struct Entry {
        std::string path;
        std::string text;        ///< of the file
        Seconds age;             ///< since it was kept
        std::string notes = {};  ///< for measuring to go on, as it wrote them; empty: none
    };
    /// The entry kept for `key`, however old; nullopt if there is none. The text need not be a
    /// network. Throws InputError, one line naming the file, if there is an entry that can't be
    /// used.
    [[nodiscard]] std::optional<Entry> find(const CacheKey& key) const;

    /// Keeps `network`, and `notes` if there are any. Throws InputError, one line naming the file
    /// or folder, where that fails; the network that was kept before stays then.
    Entry keep(const CacheKey& key, const network::Network& network,
               const std::string& notes = {}) const;

    /// The file for `key`, and the one of its notes.
    [[nodiscard]] std::string path_of(const CacheKey& key) const;
    [[nodiscard]] std::string notes_of(const CacheKey& key) const;

private:
    std::string folder_;
};

}  // namespace espalier::runtime
