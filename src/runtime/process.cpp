#include "runtime/process.hpp"

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "measure/names.hpp"
#include "network/json.hpp"
#include "runtime/communicator.hpp"
#include "runtime/neighbours.hpp"

#include <fmt/format.h>

#include <atomic>

namespace espalier::runtime {

namespace {

enum class Stage { unknown, off, running, over };

/// The only state that no communicator can hold: where this process stands. Under SMPI each rank
/// has its own.
std::atomic<Stage> stage = Stage::unknown;
std::atomic<Process*> the_process = nullptr;
std::mutex starting;

std::string host_name(int world_rank) {
    if (auto name = test_host(environment, static_cast<std::size_t>(world_rank))) return *name;
    return measure::processor_name();
}

}  // namespace

Process* Process::current() {
    switch (stage.load(std::memory_order_acquire)) {
        case Stage::running:
            return the_process.load(std::memory_order_relaxed);
        case Stage::off:
        case Stage::over:
            return nullptr;
        case Stage::unknown:
            break;
    }
    int initialised = 0;
    int finalised = 0;
    PMPI_Initialized(&initialised);
    PMPI_Finalized(&finalised);
    if (initialised == 0 || finalised != 0) return nullptr;
    const std::scoped_lock lock(starting);
    if (stage == Stage::unknown) {
        ReadSettings read = read_settings(environment);
        if (read.settings.on) {
            the_process = new Process(std::move(read));
            stage = Stage::running;
        } else {
            leave_all_to_mpi();
        }
    }
    return the_process;
}

Process::Process(ReadSettings settings)
    : settings_(std::move(settings.settings)),
      complaints_(std::move(settings.complaints)),
      log_(settings_.log) {
    PMPI_Comm_create_keyval(&Communicator::copy_attribute, &Communicator::delete_attribute,
                            &keyval_, nullptr);
    int world_rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size_);
    reports_ = world_rank == 0 && !settings_.report.empty();
    host_ = host_name(world_rank);
    if (world_rank == 0) {
        if (const std::string line = passed_by(); !line.empty()) log_.warn(line);
    }

    // MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else.
    int finalize_keyval = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Process::on_finalize, &finalize_keyval,
                            nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, finalize_keyval, this);
}

int Process::on_finalize(MPI_Comm, int, void* attribute, void*) {
    auto* process = static_cast<Process*>(attribute);
    stage = Stage::over;
    if (process->reports_) process->write_report();
    return MPI_SUCCESS;
}

void Process::leave_all_to_mpi() {
    Communicator::leave_all_to_mpi();
    stage = Stage::off;
}

bool Process::has_begun() { return stage != Stage::unknown; }

bool Process::is_over() { return stage == Stage::over; }

void Process::begin(Start start, Seconds took) {
    has_start_ = true;
    start_took_ = took;
    origin_ = std::move(start.origin);
    network_ = std::move(start.network);
    if (!network_) network_text_ = std::move(start.text);
    if (start.verdict == Verdict::planned) return;
    verdict_ = start.verdict;
    if (!reports_) leave_all_to_mpi();
}

void Process::complain() {
    if (has_start_) return;
    for (const std::string& complaint : complaints_) log_.warn(complaint);
}

void Process::complain_of_network(const std::string& problem) {
    if (!has_start_) log_.warn(settings_.network + problem);
}

std::shared_ptr<const PlannableNetwork> Process::network() {
    const std::scoped_lock lock(mutex_);
    if (network_ || network_read_) return network_;
    network_read_ = true;
    const std::string& path = has_start_ ? origin_.path : settings_.network;
    if (path.empty() && network_text_.empty()) return nullptr;
    try {
        const std::string text = has_start_ ? std::move(network_text_) : read_file(path);
        network_ = std::make_shared<PlannableNetwork>(network::parse_network(text, path), path);
    } catch (const std::exception& error) {
        log_.warn(std::string(error.what()) + "; collectives are left to MPI");
    }
    return network_;
}

void Process::record(const RunReport::Call& call, const RunReport::Expectation& expectation,
                     Seconds elapsed) {
    const std::scoped_lock lock(mutex_);
    report_.add(call, expectation, elapsed);
}

void Process::record_passed(const char* name) {
    const std::scoped_lock lock(mutex_);
    report_.add_passed(name);
}

void Process::write_report() {
    const std::scoped_lock lock(mutex_);
    RunReport::Heading heading;
    heading.mpi = ESPALIER_MPI_NAME;
    heading.network = has_start_ ? origin_.path : settings_.network;
    if (has_start_)
        heading.start =
            RunReport::Heading::Start{to_string(origin_.source), origin_.measured_in, start_took_};
    if (network_) heading.fingerprint = network_->fingerprint();
    heading.ranks = static_cast<std::size_t>(world_size_);
    try {
        write_file(settings_.report, report_.to_json(heading).dump(1) + "\n");
    } catch (const std::exception& error) {
        log_.warn(fmt::format("ESPALIER_REPORT: {}; nothing is reported", error.what()));
    }
}

}  // namespace espalier::runtime
