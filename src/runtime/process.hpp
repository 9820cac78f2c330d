#pragma once

#include "runtime/device_memory.hpp"
#include "runtime/log.hpp"
#include "runtime/logic/placement.hpp"
#include "runtime/logic/run_report.hpp"
#include "runtime/logic/settings.hpp"
#include "runtime/logic/start.hpp"
#include "runtime/logic/verdict.hpp"
#include "runtime/staging.hpp"

#include <mpi.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace espalier::runtime {

/// The state of a process, from its first collective until MPI_Finalize: settings, the network, the
/// log and the report. State of a communicator is attached to the communicator.
class Process {
public:
    /// nullptr where MPI's own calls are to be left alone: it is switched off, or MPI is not
    /// initialised, or finalised. Threads may share it.
    static Process* current();

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
    /// Begins with what all ranks agreed on when MPI was initialised, which `took` so long. A
    /// process in which this was not called, because the program's MPI_Init did not come here,
    /// reads the file of ESPALIER_NETWORK when it is needed. To be called before any other thread
    /// is here.
    void begin(Start start, Seconds took);
    /// The network to plan on; nullptr, with a warning, where there is none that can be used.
    [[nodiscard]] std::shared_ptr<const PlannableNetwork> network();
    /// Warns of the settings that make no sense; the leader of a communicator calls it.
    void complain();
    /// Warns of hosts that the network does not have: `problem` goes on after its name. Nothing
    /// where all was said when MPI was initialised.
    void complain_of_network(const std::string& problem);

    /// Memory for what calls move through this process.
    [[nodiscard]] Staging& staging() { return staging_; }

    /// Whether calls are to be recorded here: the report is that of rank 0 of MPI_COMM_WORLD.
    [[nodiscard]] bool reports() const { return reports_; }
    void record(const RunReport::Call& call, const RunReport::Expectation& expectation,
                Seconds elapsed);
    /// Records a call that is always native, by its name in C.
    void record_passed(const char* name);

    /// Switches the library off in this process: it does not even look at a communicator any more.
    static void leave_all_to_mpi();
    /// Whether some call of the program has come here since MPI began.
    [[nodiscard]] static bool has_begun();
    /// MPI_Finalize has begun: nothing of MPI may be called any more.
    [[nodiscard]] static bool is_over();

private:
    explicit Process(ReadSettings settings);
    static int on_finalize(MPI_Comm comm, int keyval, void* attribute, void* extra);
    void write_report();

    const Settings settings_;
    const std::vector<std::string> complaints_;
    Log log_;
    Staging staging_{settings_.memory.value};
    DeviceMemory device_memory_;
    int keyval_ = MPI_KEYVAL_INVALID;
    int world_size_ = 1;
    bool reports_ = false;
    std::string host_;
    std::optional<Verdict> verdict_;
    bool has_start_ = false;
    NetworkOrigin origin_;
    std::string network_text_;  ///< until it is needed
    Seconds start_took_;
    std::mutex mutex_;
    bool network_read_ = false;
    std::shared_ptr<const PlannableNetwork> network_;
    RunReport report_;
};

}  // namespace espalier::runtime
