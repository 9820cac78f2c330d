#include "runtime/starting.hpp"

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "measure/measure.hpp"
#include "measure/names.hpp"
#include "runtime/failure.hpp"
#include "runtime/host_name.hpp"
#include "runtime/logic/start.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/process.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <thread>
#include <vector>

namespace espalier::runtime {

namespace {

/// Waits asleep: ranks that start are often more than there are processors, and one that polls
/// keeps another from doing what it polls for.
void wait_asleep(std::vector<MPI_Request>& requests) {
    constexpr auto longest = std::chrono::microseconds(250);
    auto nap = std::chrono::microseconds(10);
    for (;;) {
        int done = 0;
        check(PMPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                           MPI_STATUSES_IGNORE));
        if (done != 0) return;
        std::this_thread::sleep_for(nap);
        nap = std::min(nap + nap / 2, longest);
    }
}

/// Rank 0's bytes, everywhere, in pieces that libraries send whole along a tree.
void broadcast(void* data, std::size_t bytes) {
    constexpr std::size_t piece = 8192;
    std::vector<MPI_Request> requests;
    for (std::size_t begin = 0; begin < bytes; begin += piece)
        check(PMPI_Ibcast(static_cast<char*>(data) + begin,
                          static_cast<int>(std::min(piece, bytes - begin)), MPI_BYTE, 0,
                          MPI_COMM_WORLD, &requests.emplace_back()));
    wait_asleep(requests);
}

/// RankFacts on their way to rank 0.
struct Facts {
    HostName host;
    std::array<char, 64> digest{};
};

Facts pack(const RankFacts& facts) {
    Facts packed{HostName(facts.host), {}};
    std::copy_n(facts.digest.begin(), std::min(facts.digest.size(), packed.digest.size()),
                packed.digest.begin());
    return packed;
}

RankFacts unpack(const Facts& packed) {
    RankFacts facts;
    facts.host = packed.host.text();
    if (packed.digest.front() != '\0')
        facts.digest.assign(packed.digest.data(), packed.digest.size());
    return facts;
}

/// The start of a job, from MPI_Init to what all its ranks know. Rank 0 decides, and tells the
/// others.
class Beginning {
public:
    explicit Beginning(Process& process) : process_(process) {
        check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank_));
        check(PMPI_Comm_size(MPI_COMM_WORLD, &size_));
    }

    Start agree() {
        if (leads()) process_.complain();
        Start start;
        start.verdict = Verdict::planned;
        if (size_ == 1) return start;  // whose communicators know by themselves
        const std::vector<RankFacts> ranks = gather();
        std::optional<Starter> starter;
        if (leads()) {
            starter.emplace(process_.settings(), environment,
                            Starter::Library{ESPALIER_MPI_NAME, measure::library_version()}, ranks);
            start = starter->decide();
            warn(start);
        }
        const std::size_t bytes = tell(start);
        if (start.measure) return measure(starter);
        if (start.verdict != Verdict::planned) return start;
        // Whoever leads another communicator plans on the same bytes.
        start.text.resize(bytes);
        broadcast(start.text.data(), bytes);
        return start;
    }

private:
    [[nodiscard]] bool leads() const { return rank_ == 0; }

    void warn(const Start& start) {
        for (const std::string& line : start.warnings) process_.log().warn(line);
    }

    std::vector<RankFacts> gather() {
        const Facts own = pack({process_.host(), digest_of(process_.settings().network)});
        std::vector<Facts> all(leads() ? static_cast<std::size_t>(size_) : 1);
        constexpr int length = sizeof(Facts);
        std::vector<MPI_Request> requests(1);
        check(PMPI_Igather(&own, length, MPI_BYTE, all.data(), length, MPI_BYTE, 0, MPI_COMM_WORLD,
                           requests.data()));
        wait_asleep(requests);
        std::vector<RankFacts> facts;
        std::transform(all.begin(), all.end(), std::back_inserter(facts), unpack);
        return facts;
    }

    /// Rank 0's decision, everywhere: in `start` all but the network, of which the bytes' number is
    /// returned.
    std::size_t tell(Start& start) const {
        std::array<std::uint64_t, 4> told{};
        if (leads())
            told = {start.measure ? 1U : 0U, static_cast<std::uint64_t>(start.verdict),
                    static_cast<std::uint64_t>(start.origin.source), start.text.size()};
        broadcast(told.data(), sizeof told);
        start.measure = told[0] != 0;
        start.verdict = static_cast<Verdict>(told[1]);
        start.origin.source = static_cast<NetworkOrigin::Source>(told[2]);
        return told[3];
    }

    Start measure(std::optional<Starter>& starter) {
        measure::Options options;
        options.host = process_.host();
        options.budget = budget();
        std::optional<network::Network> network;
        try {
            network = measure::measure_network(MPI_COMM_WORLD, options);
        } catch (const InputError& error) {
            // The same on all ranks.
            Start none;
            none.warnings = {fmt::format(
                "ESPALIER_MEASURE_BUDGET: {} were not enough ({}); collectives are left to MPI",
                format_seconds(options.budget), error.what())};
            if (leads()) warn(none);
            return none;
        }
        Start start;
        if (starter) {
            start = starter->go_on_with(*network);
            warn(start);
        }
        (void)tell(start);
        // Every rank has the same network already.
        if (!leads() && start.verdict == Verdict::planned) start.text = text_of(*network);
        return start;
    }

    /// Rank 0's; the others' environment may say something else.
    [[nodiscard]] Seconds budget() const {
        double seconds = process_.settings().measure_budget.value;
        broadcast(&seconds, sizeof seconds);
        return Seconds(seconds);
    }

    Process& process_;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace

void start() noexcept {
    try {
        Process* process = Process::current();
        if (process == nullptr) return;
        const auto before = std::chrono::steady_clock::now();
        const ErrorsReturned returned(MPI_COMM_WORLD);
        Start start;
        try {
            start = Beginning(*process).agree();
        } catch (const MpiFailure&) {
            process->log().warn("MPI_Init: an MPI call failed; collectives are left to MPI");
        } catch (const std::exception& error) {
            process->log().warn(
                fmt::format("MPI_Init: {}; collectives are left to MPI", error.what()));
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
        process->begin(std::move(start), Seconds(took.count()));
    } catch (...) {
        // Without memory for a line nobody can be told.
    }
}

}  // namespace espalier::runtime

#ifndef ESPALIER_MPI_SMPI

using espalier::runtime::native;

extern "C" int MPI_Init(int* argc, char*** argv) {
    const int code = native<PMPI_Init>(argc, argv);
    if (code == MPI_SUCCESS) espalier::runtime::start();
    return code;
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    const int code = native<PMPI_Init_thread>(argc, argv, required, provided);
    if (code == MPI_SUCCESS) espalier::runtime::start();
    return code;
}

#endif
