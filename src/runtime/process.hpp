#pragma once

#include "runtime/device_memory.hpp"
#include "runtime/log.hpp"
#include "runtime/logic/arrivals.hpp"
#include "runtime/logic/call_history.hpp"
#include "runtime/logic/metrics_file.hpp"
#include "runtime/logic/placement.hpp"
#include "runtime/logic/remembered_changes.hpp"
#include "runtime/logic/run_report.hpp"
#include "runtime/logic/settings.hpp"
#include "runtime/logic/start.hpp"
#include "runtime/logic/tags.hpp"
#include "runtime/logic/verdict.hpp"
#include "runtime/persistent_calls.hpp"
#include "runtime/progress.hpp"
#include "runtime/staging.hpp"
#include "runtime/under_way.hpp"

#include <mpi.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace espalier::runtime {

/// What all ranks of MPI_COMM_WORLD have since it was initialised.
struct Common {
    /// A duplicate of MPI_COMM_WORLD for our messages, whose errors are returned; MPI_COMM_NULL
    /// where all is left to MPI.
    MPI_Comm own = MPI_COMM_NULL;
    std::string hosts;  ///< of all ranks, a line each
    /// Whether all ranks can move nonblocking collectives on in whatever MPI call they are.
    bool progresses = false;
};

/// The state of a process, from MPI_Init until MPI_Finalize: settings, the network, the log and the
/// report. State of a communicator is attached to the communicator.
class Process {
public:
    /// nullptr where MPI's own calls are to be left alone: it is switched off, or MPI is not
    /// initialised, or finalised, or its MPI_Init did not come here, which a line says. Threads may
    /// share it.
    static Process* current();
    /// The same, but also where all is left to MPI, and without a line.
    static Process* known();
    /// MPI is about to be initialised: nothing is done before start().
    static void await_start();
    /// MPI is initialised, with this `code`. nullptr where it is switched off, or not initialised.
    static Process* start(int code);

    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] Log& log() { return log_; }
    [[nodiscard]] DeviceMemory& device_memory() { return device_memory_; }
    /// The attribute that holds a communicator's state.
    [[nodiscard]] int keyval() const { return keyval_; }
    /// The name of this rank's host.
    [[nodiscard]] const std::string& host() const { return host_; }
    /// Why all communicators are left to MPI, if all ranks of MPI_COMM_WORLD have known so since
    /// MPI was initialised; nullopt if it depends on the communicator.
    [[nodiscard]] std::optional<Verdict> verdict() const { return verdict_; }
    /// Begins with what all ranks agreed on when MPI was initialised, which `took` so long. To be
    /// called before any other thread is here.
    void begin(Start start, Common common, Seconds took);
    [[nodiscard]] const Common& common() const { return common_; }
    /// The name of each rank's host, as far as they were told.
    [[nodiscard]] std::vector<std::string> hosts() const;
    /// The same, given as ranks of MPI_COMM_WORLD.
    [[nodiscard]] std::vector<std::string> hosts_of(const std::vector<int>& ranks) const;
    [[nodiscard]] Tags& tags() { return *tags_; }
    /// The network to plan on; nullptr, with a warning, where there is none that can be used.
    [[nodiscard]] std::shared_ptr<const PlannableNetwork> network();
    /// The record of the calls of a signature whose results must be reproducible, on the next
    /// communicator of these ranks of MPI_COMM_WORLD; nullptr where none is kept: a communicator
    /// that rank 0 of MPI_COMM_WORLD does not lead, or no cache.
    [[nodiscard]] std::shared_ptr<CallRecord> open_record(const Signature& signature,
                                                          const std::vector<int>& ranks);
    /// What open_record() would return now, as a copy that is not kept.
    [[nodiscard]] std::shared_ptr<CallRecord> peek_record(const Signature& signature,
                                                          const std::vector<int>& ranks);
    /// What calls have told of changes of the network since it was measured; nullptr where nothing
    /// is kept: on another rank than 0 of MPI_COMM_WORLD, or where the settings say so.
    [[nodiscard]] RememberedChanges* changes();
    [[nodiscard]] static RememberedChanges::Time now() { return std::chrono::system_clock::now(); }
    /// Warns of the settings that make no sense.
    void complain();

    [[nodiscard]] UnderWay& under_way() { return under_way_; }
    [[nodiscard]] Progress& progress() { return progress_; }
    [[nodiscard]] PersistentCalls& persistent_calls() { return persistent_calls_; }
    /// Memory for what calls move through this process.
    [[nodiscard]] Staging& staging() { return staging_; }

    /// Whether calls are to be recorded here: for the report, which is that of rank 0 of
    /// MPI_COMM_WORLD, or for metrics.
    [[nodiscard]] bool records() const { return records_; }
    /// See RunReport::add.
    void record(const RunReport::Call& call, const RunReport::State& state,
                const std::function<RunReport::Expectation()>& describe, Seconds elapsed);
    /// A call told how late the last rank came, which of MPI_COMM_WORLD is `last`.
    void record_arrival(const std::string& collective, std::size_t ranks, Seconds late, int last);
    /// Records a call that is always native, by its name in C.
    void record_passed(const char* name);

    /// Who this process is, for what is asked of it while it runs; and its report so far.
    [[nodiscard]] RunReport::Heading heading_so_far();
    [[nodiscard]] Json report_so_far();

    /// Switches the library off in this process: it does not even look at a communicator any more.
    static void leave_all_to_mpi();
    /// Whether some call of the program has come here since MPI began.
    [[nodiscard]] static bool has_begun();

private:
    explicit Process(ReadSettings settings);
    static int on_finalize(MPI_Comm comm, int keyval, void* attribute, void* extra);
    void report();
    void keep_records();
    /// nullptr where nothing is recorded. `mutex_` is held.
    [[nodiscard]] CallHistory* history();
    /// Whether this rank tells of its node.
    [[nodiscard]] bool tells_metrics() const;
    void begin_metrics();
    [[nodiscard]] std::string metrics(bool ended);
    [[nodiscard]] RunReport::Heading heading(Seconds elapsed) const;

    const Settings settings_;
    const std::vector<std::string> complaints_;
    Log log_;
    Staging staging_{settings_.memory.value};
    UnderWay under_way_;
    Progress progress_;
    PersistentCalls persistent_calls_;
    DeviceMemory device_memory_;
    int keyval_ = MPI_KEYVAL_INVALID;
    int world_size_ = 1;
    int world_rank_ = 0;
    bool records_ = false;
    std::string host_;
    std::optional<Verdict> verdict_;
    Common common_;
    std::optional<Tags> tags_;
    NetworkOrigin origin_;
    std::string network_text_;  ///< until it is needed
    Seconds start_took_;
    double began_ = 0;  ///< by MPI_Wtime
    std::mutex mutex_;
    bool network_read_ = false;
    std::shared_ptr<const PlannableNetwork> network_;
    bool history_read_ = false;
    std::optional<CallHistory> history_;
    std::unique_ptr<RememberedChanges> changes_;
    RunReport report_;
    Arrivals arrivals_;
    std::string job_;  ///< of metrics
    std::chrono::steady_clock::time_point metrics_began_;
    std::optional<runs::Live::Link> slowest_link_;
    std::unique_ptr<MetricsFile> metrics_;
};

}  // namespace espalier::runtime
