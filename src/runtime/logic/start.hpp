#pragma once

#include "core/units.hpp"
#include "network/network.hpp"
#include "runtime/logic/network_cache.hpp"
#include "runtime/logic/placement.hpp"
#include "runtime/logic/settings.hpp"
#include "runtime/logic/verdict.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::runtime {

/// The origin of a job's network.
struct NetworkOrigin {
    enum class Source : int { none, file, site, cache, measured };

    Source source = Source::none;
    std::string path;  ///< of the file, or of the file in the cache; empty where it is in none
    /// The seconds that measuring took, whenever that was; nullopt if the network does not say.
    std::optional<Seconds> measured_in;
    bool is_new = false;  ///< all of it was measured in this start
};

/// `file`, `site`, `cache`, `measured`, or `none`.
[[nodiscard]] std::string to_string(NetworkOrigin::Source source);

/// The facts that a rank knows when MPI has just been initialised.
struct RankFacts {
    std::string host;
    std::string digest;  ///< of its file of ESPALIER_NETWORK; empty where it can't read one
};

/// The SHA-256 of a regular file's bytes; empty where there is none that can be read.
[[nodiscard]] std::string digest_of(const std::string& path);

/// The state with which a job begins.
struct Start {
    /// The network has to be measured first: no more is known yet, or measuring goes on.
    bool measure = false;
    std::string notes;  ///< measure::Options::earlier, where it goes on
    /// The verdict of every communicator; `planned` if it depends on the communicator.
    Verdict verdict = Verdict::no_network;
    NetworkOrigin origin;
    std::string text;                                 ///< the network's file, where `planned`
    std::shared_ptr<const PlannableNetwork> network;  ///< the same, read
    std::vector<std::string> warnings;                ///< one line each
};

/// A measured network as its file would say it.
[[nodiscard]] std::string text_of(const network::Network& network);

/// Decides for a job, at its rank 0, what its collectives are planned on: a file, one that an
/// administrator provides, a network of the cache, or one that is to be measured. Never throws for
/// what files or folders are like.
class Starter {
public:
    /// The MPI library.
    struct Library {
        std::string flavour;  ///< `openmpi`
        std::string version;  ///< as MPI_Get_library_version says it
    };
    /// `ranks` has an entry for each rank of the job.
    Starter(const Settings& settings, const Environment& environment, const Library& library,
            const std::vector<RankFacts>& ranks);

    [[nodiscard]] Start decide();
    /// Keeps the network that was measured because decide() asked for it, with measure::Measured's
    /// notes, and goes on with it.
    [[nodiscard]] Start go_on_with(const network::Network& measured, const std::string& notes = {});

private:
    [[nodiscard]] Start read_given();
    [[nodiscard]] Start find_site();
    [[nodiscard]] Start find_kept();
    void judge(Start& start) const;
    void judge_own(Start& start, const network::Network& network) const;
    /// Adds a warning of the cache, unless there is one: what else it says follows from the first.
    void warn_of_cache(Start& start, const std::string& line);

    const Settings& settings_;
    std::vector<std::string> hosts_;    ///< by rank
    std::vector<std::string> digests_;  ///< by rank
    std::vector<std::string> site_files_;
    CacheKey key_;
    NetworkCache cache_;
    bool warned_of_cache_ = false;
    bool goes_on_ = false;  ///< what is measured adds to what was kept
};

}  // namespace espalier::runtime
