#include "runtime/starting.hpp"

#include "measure/measure.hpp"
#include "network/json.hpp"
#include "runtime/failure.hpp"
#include "runtime/logic/start.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/process.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace espalier::runtime {

namespace {

/// Errors on MPI_COMM_WORLD and what is made from it are returned while this lives; whatever
/// handler the MPI library begins with comes back.
class ErrorsReturned {
public:
    ErrorsReturned() {
        PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    ~ErrorsReturned() {
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
        PMPI_Errhandler_free(&before_);
    }
    ErrorsReturned(const ErrorsReturned&) = delete;
    ErrorsReturned& operator=(const ErrorsReturned&) = delete;

private:
    MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// RankFacts on their way to rank 0.
struct Facts {
    std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
    std::array<char, 64> digest{};
};

Facts pack(const RankFacts& facts) {
    Facts packed;
    std::copy_n(facts.host.begin(), std::min(facts.host.size(), packed.host.size() - 1),
                packed.host.begin());
    std::copy_n(facts.digest.begin(), std::min(facts.digest.size(), packed.digest.size()),
                packed.digest.begin());
    return packed;
}

RankFacts unpack(const Facts& packed) {
    RankFacts facts;
    facts.host = packed.host.data();
    if (packed.digest.front() != '\0')
        facts.digest.assign(packed.digest.data(), packed.digest.size());
    return facts;
}

std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    const std::string whole(text.data(), static_cast<std::size_t>(length));
    return whole.substr(0, whole.find_first_of("\n\0", 0, 2));
}

/// One job's way from MPI_Init to what all its ranks know. Rank 0 decides, and tells the others.
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
            starter.emplace(process_.settings(), process_environment,
                            Starter::Library{ESPALIER_MPI_NAME, library_version()}, ranks);
            start = starter->decide();
            warn(start);
        }
        tell(start);
        if (start.measure) {
            start = measure(starter);
        } else if (start.verdict == Verdict::planned) {
            share(start.text);
        }
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
        check(PMPI_Gather(&own, length, MPI_BYTE, all.data(), length, MPI_BYTE, 0, MPI_COMM_WORLD));
        std::vector<RankFacts> facts;
        std::transform(all.begin(), all.end(), std::back_inserter(facts), unpack);
        return facts;
    }

    /// Rank 0's decision, everywhere, but for the network.
    void tell(Start& start) {
        std::array<int, 3> told{};
        if (leads())
            told = {start.measure ? 1 : 0, static_cast<int>(start.verdict),
                    static_cast<int>(start.origin.source)};
        check(PMPI_Bcast(told.data(), static_cast<int>(told.size()), MPI_INT, 0, MPI_COMM_WORLD));
        start.measure = told[0] != 0;
        start.verdict = static_cast<Verdict>(told[1]);
        start.origin.source = static_cast<NetworkOrigin::Source>(told[2]);
    }

    /// Rank 0's text, everywhere: what leads another communicator plans on the same bytes.
    void share(std::string& text) const {
        std::uint64_t length = text.size();
        check(PMPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
        text.resize(length);
        check(PMPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD));
    }

    Start measure(std::optional<Starter>& starter) {
        measure::Options options;
        options.host = process_.host();
        options.budget = budget();
        const network::Network network = measure::measure_network(MPI_COMM_WORLD, options);
        Start start;
        if (starter) {
            start = starter->go_on_with(network);
            warn(start);
        }
        tell(start);
        // Every rank has the same network already.
        if (!leads() && start.verdict == Verdict::planned) start.text = text_of(network);
        return start;
    }

    /// Rank 0's; the others' environment may say something else.
    [[nodiscard]] Seconds budget() const {
        double seconds = process_.settings().measure_budget.value;
        check(PMPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
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
        const ErrorsReturned returned;
        Start start;
        try {
            start = Beginning(*process).agree();
        } catch (const MpiFailure&) {
            process->log().warn("MPI_Init: an MPI call failed; collectives are left to MPI");
        } catch (const std::exception& error) {
            process->log().warn(std::string("MPI_Init: ") + error.what() +
                                "; collectives are left to MPI");
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
