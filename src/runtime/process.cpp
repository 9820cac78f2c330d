#include "runtime/process.hpp"

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "measure/names.hpp"
#include "network/json.hpp"
#include "runtime/clock.hpp"
#include "runtime/communicator.hpp"
#include "runtime/flavour.hpp"
#include "runtime/logic/cache_folder.hpp"
#include "runtime/logic/report_files.hpp"
#include "runtime/neighbours.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <sstream>

namespace espalier::runtime {

namespace {

/// How long MPI_Finalize waits for nonblocking collectives that the program did not wait for, and,
/// where ranks may have failed, for what they still tell each other.
constexpr Seconds farewell{2};

enum class Stage { unknown, starting, off, running, over };

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
        case Stage::starting:
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
    if (stage != Stage::unknown) return nullptr;
    leave_all_to_mpi();
    const Settings settings = read_settings(environment).settings;
    int world_rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (settings.on && world_rank == 0)
        Log(settings.log)
            .warn("MPI_Init did not come to this library; collectives are left to MPI");
    return nullptr;
}

Process* Process::known() {
    const Stage now = stage.load(std::memory_order_acquire);
    return now == Stage::running || now == Stage::off ? the_process.load() : nullptr;
}

void Process::await_start() { stage = Stage::starting; }

Process* Process::start(int code) {
    if (code != MPI_SUCCESS) {
        stage = Stage::unknown;
        return nullptr;
    }
    ReadSettings read = read_settings(environment);
    if (!read.settings.on) {
        leave_all_to_mpi();
        return nullptr;
    }
    the_process = new Process(std::move(read));
    stage = Stage::running;
    return the_process;
}

Process::Process(ReadSettings settings)
    : settings_(std::move(settings.settings)),
      complaints_(std::move(settings.complaints)),
      log_(settings_.log),
      progress_(settings_.progress == Settings::Progress::thread) {
    PMPI_Comm_create_keyval(&Communicator::copy_attribute, &Communicator::delete_attribute,
                            &keyval_, nullptr);
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size_);
    records_ = world_rank_ == 0 && (settings_.summary || !settings_.report.empty());
    host_ = host_name(world_rank_);
    if (world_rank_ == 0) {
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
    process->progress_.end(farewell);
    process->under_way_.complete_all(farewell);
    stage = Stage::over;
    if (process->metrics_) process->metrics_->end();
    process->report();
    process->keep_records();
    return MPI_SUCCESS;
}

void Process::leave_all_to_mpi() {
    Communicator::leave_all_to_mpi();
    stage = Stage::off;
}

bool Process::has_begun() { return stage != Stage::unknown; }

void Process::begin(Start start, Common common, Seconds took) {
    start_took_ = took;
    began_ = PMPI_Wtime() - took.value;
    common_ = std::move(common);
    int* greatest = nullptr;
    int has_greatest = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&greatest), &has_greatest);
    constexpr int promised = 32767;
    tags_.emplace(has_greatest != 0 ? *greatest : promised, world_size_);
    // That of MPI_COMM_WORLD, which all ranks know without a word.
    if (world_rank_ == 0) (void)tags_->take(world_rank_);
    origin_ = std::move(start.origin);
    network_ = std::move(start.network);
    if (!network_) network_text_ = std::move(start.text);
    if (start.verdict != Verdict::planned) verdict_ = start.verdict;
    if (tells_metrics()) begin_metrics();
    if (!verdict_) return;
    // A summary is not worth a look at each call.
    if (!records_ || (settings_.report.empty() && !metrics_)) leave_all_to_mpi();
}

void Process::complain() {
    for (const std::string& complaint : complaints_) log_.warn(complaint);
}

std::vector<std::string> Process::hosts() const {
    std::vector<std::string> all;
    std::istringstream lines(common_.hosts);
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
}

std::vector<std::string> Process::hosts_of(const std::vector<int>& ranks) const {
    const std::vector<std::string> all = hosts();
    std::vector<std::string> hosts;
    for (const int rank : ranks) hosts.push_back(all[static_cast<std::size_t>(rank)]);
    return hosts;
}

std::shared_ptr<const PlannableNetwork> Process::network() {
    const std::scoped_lock lock(mutex_);
    if (network_ || network_read_) return network_;
    network_read_ = true;
    const std::string& path = origin_.path;
    if (path.empty() && network_text_.empty()) return nullptr;
    try {
        const std::string text = network_text_.empty() ? read_file(path) : std::move(network_text_);
        network_ = std::make_shared<PlannableNetwork>(network::parse_network(text, path), path);
    } catch (const std::exception& error) {
        log_.warn(std::string(error.what()) + "; collectives are left to MPI");
    }
    return network_;
}

CallHistory* Process::history() {
    if (world_rank_ != 0 || settings_.reproducible != Settings::Reproducible::by_record)
        return nullptr;
    if (!history_read_) {
        history_read_ = true;
        try {
            history_.emplace(cache_folder(settings_.cache, environment),
                             CallHistory::Conditions{network_->fingerprint(), ESPALIER_MPI_NAME,
                                                     measure::library_version()});
        } catch (const std::exception& error) {
            log_.warn(fmt::format("{}; reductions that round are done as predicted", error.what()));
        }
    }
    return history_ ? &*history_ : nullptr;
}

std::shared_ptr<CallRecord> Process::open_record(const Signature& signature,
                                                 const std::vector<int>& ranks) {
    const std::scoped_lock lock(mutex_);
    CallHistory* const records = history();
    return records == nullptr ? nullptr : records->open(hosts_of(ranks), signature);
}

std::shared_ptr<CallRecord> Process::peek_record(const Signature& signature,
                                                 const std::vector<int>& ranks) {
    const std::scoped_lock lock(mutex_);
    const CallHistory* const records = history();
    return records == nullptr ? nullptr : records->peek(hosts_of(ranks), signature);
}

RememberedChanges* Process::changes() {
    if (world_rank_ != 0 || settings_.planning != Settings::Planning::automatic ||
        settings_.measure == Settings::Measure::off || Flavour::paced)
        return nullptr;
    const auto measured = network();
    if (!measured) return nullptr;
    const std::scoped_lock lock(mutex_);
    if (changes_) return changes_.get();
    const bool is_kept = (origin_.source == NetworkOrigin::Source::cache ||
                          origin_.source == NetworkOrigin::Source::measured) &&
                         !origin_.path.empty();
    changes_ = std::make_unique<RememberedChanges>(
        cache_folder(settings_.cache, environment),
        RememberedChanges::Conditions{
            is_kept ? std::filesystem::path(origin_.path).stem().string() : measured->fingerprint(),
            ESPALIER_MPI_NAME, measure::library_version()},
        measured);
    // A newer measurement knows better.
    if (origin_.is_new) return changes_.get();
    try {
        if (const std::size_t unfit = changes_->take_over(now()); unfit > 0)
            log_.warn(fmt::format(
                "{}: {} no longer what the network has, forgotten", changes_->path(),
                unfit == 1 ? "a change is of" : fmt::format("{} changes are of", unfit)));
    } catch (const std::exception& error) {
        log_.warn(fmt::format("{}; plans are for the network as it was measured", error.what()));
    }
    if (const auto known = changes_->in_words(); !known.empty())
        log_.debug("changed since it was measured: " + known);
    return changes_.get();
}

void Process::keep_records() {
    const std::scoped_lock lock(mutex_);
    try {
        if (changes_) changes_->keep();
    } catch (const std::exception& error) {
        log_.warn(fmt::format("{}; what has changed is not kept", error.what()));
    }
    try {
        if (history_) history_->keep();
    } catch (const std::exception& error) {
        log_.warn(fmt::format("{}; the next run may round in another way", error.what()));
    }
}

void Process::record(const RunReport::Call& call, const RunReport::State& state,
                     const std::function<RunReport::Expectation()>& describe, Seconds elapsed) {
    const std::scoped_lock lock(mutex_);
    report_.add(call, state, describe, elapsed);
}

void Process::record_passed(const char* name) {
    const std::scoped_lock lock(mutex_);
    report_.add_passed(name);
}

RunReport::Heading Process::heading(Seconds elapsed) const {
    RunReport::Heading heading;
    heading.program = program_name();
    heading.mpi = ESPALIER_MPI_NAME;
    heading.network = origin_.path;
    heading.start = {to_string(origin_.source), origin_.measured_in, start_took_};
    if (network_) heading.fingerprint = network_->fingerprint();
    heading.ranks = static_cast<std::size_t>(world_size_);
    if (!settings_.report.empty()) heading.hosts = hosts();
    heading.elapsed = elapsed;
    if (verdict_ && settings_.report.empty() && !metrics_)
        heading.left_to_mpi = to_string(*verdict_);
    return heading;
}

RunReport::Heading Process::heading_so_far() {
    (void)network();  // which may not have been needed yet
    const std::scoped_lock lock(mutex_);
    RunReport::Heading heading = this->heading(since(began_));
    heading.hosts = hosts();
    // The others were not told.
    if (world_rank_ != 0) heading.start.origin.clear();
    if (verdict_) heading.left_to_mpi = to_string(*verdict_);
    return heading;
}

Json Process::report_so_far() {
    const RunReport::Heading heading = heading_so_far();
    const std::scoped_lock lock(mutex_);
    return report_.to_json(heading);
}

void Process::report() {
    if (world_rank_ != 0 || (!settings_.summary && settings_.report.empty())) return;
    const std::scoped_lock lock(mutex_);
    const RunReport::Heading heading = this->heading(since(began_));
    try {
        Json run = report_.to_json(heading);
        if (settings_.summary) {
            log_.say_at_end(summary_of(run));
            return;
        }
        // The cache's file of this name may be another network soon.
        if (network_) run["network_described"] = network::to_json(network_->measured());
        const std::string name = report_name(heading.program, environment, host_, ::getpid());
        if (const std::string file = write_report(run, settings_.report, name); !file.empty())
            log_.say_at_end("wrote " + file + "\n");
    } catch (const std::exception& error) {
        log_.warn(fmt::format("ESPALIER_REPORT: {}; nothing is reported", error.what()));
    }
}

}  // namespace espalier::runtime
