#pragma once

#include "network/grid_rates.hpp"
#include "network/grid_view.hpp"
#include "runtime/logic/placement.hpp"
#include "schedule/schedule.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace espalier::runtime {

/// What calls told of how a network has changed since it was measured, for later runs of any
/// program: a file of the cache, one for each network and MPI library. Changes are kept by the
/// names of what has changed, since a later run may have measured on, and know other clusters.
///
/// What has lasted from `since` until it was `seen` last still lasts after as much time again with
/// a chance of one half (rule of succession); until then a later run begins with it. Several
/// processes may use the file at once, and threads an object.
class RememberedChanges {
public:
    using Time = std::chrono::sys_time<std::chrono::duration<double>>;  ///< UTC

    struct Conditions {
        /// By what the network is known: the name of its file in the cache, which stays when a
        /// later run measures on, or else its fingerprint.
        std::string network;
        std::string mpi;      ///< `openmpi`, `mpich`
        std::string library;  ///< version, as MPI_Get_library_version says it
    };
    /// `folder` may be empty: nothing is kept then.
    RememberedChanges(const std::string& folder, const Conditions& conditions,
                      std::shared_ptr<const PlannableNetwork> measured);

    /// Begins with what was kept, as far as it may last at `now` and fits the network: it states
    /// that rate, within its uncertainty as it was when it was measured then. Returns how many
    /// changes don't fit. Throws InputError, one line naming the file, where it can't be used.
    std::size_t take_over(Time now);

    /// The network with these changes; the measured one where there are none.
    [[nodiscard]] std::shared_ptr<const PlannableNetwork> network() const;
    /// In words; empty: there are none.
    [[nodiscard]] std::string in_words() const;
    /// The greatest chance that one of these changes was over when this run began; 0 for those that
    /// its calls have shown.
    [[nodiscard]] double over() const;

    /// Calls between these places have shown what has changed since the network was measured, since
    /// they first `told` of it: what else was believed of rates between them is over.
    void conclude(const std::vector<network::GridChange>& changes,
                  const std::vector<network::GridView::Place>& places, Time told, Time now);
    /// A call by this plan took what it should if changes stand: those of the rates that it needs
    /// do.
    void saw(const schedule::Schedule& plan, const std::vector<network::GridView::Place>& places,
             Time now);

    /// Keeps them, if that is news. Throws InputError, one line naming the file, where that fails.
    void keep() const;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    struct Lasting {
        network::GridChange change;
        Time since;
        Time seen;
        double over =
            0;  ///< the chance that it was when this run began, and nothing was seen since
    };

    void believe();

    const std::string path_;  ///< empty: there is none
    const std::shared_ptr<const PlannableNetwork> measured_;
    mutable std::mutex mutex_;
    std::vector<Lasting> changes_;
    std::shared_ptr<const PlannableNetwork> network_;
    bool is_news_ = false;
};

}  // namespace espalier::runtime
