#ifndef ESPALIER_MPI_SMPI

#include "runtime/agreeing.hpp"

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "measure/measure.hpp"
#include "measure/names.hpp"
#include "runtime/failure.hpp"
#include "runtime/host_name.hpp"
#include "runtime/letters.hpp"
#include "runtime/logic/start.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {

namespace {

/// How long rank 0 waits for the other ranks to say that they are there. Another rank waits twice
/// as long for its answer.
constexpr Seconds patience{10};
/// The most that all of a start takes beyond this patience, in budgets of measuring.
constexpr double most_budgets = 2;
/// What a round trip of a budget counts for in that: one by way of two satellites.
constexpr Seconds longest_round_trip{1};

/// The first message of a rank to rank 0: RankFacts, and whether it takes part.
struct Facts {
    bool on = false;
    bool progresses = false;  ///< see Common
    HostName host;
    std::array<char, 64> digest{};
};

Facts pack(const RankFacts& facts, bool progresses) {
    Facts packed{true, progresses, HostName(facts.host), {}};
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

/// The second message of a rank to rank 0: whether it has the network.
struct Outcome {
    bool well = false;
    std::array<char, 200> why{};
};

Outcome outcome_of(const std::string& why) {
    Outcome outcome{why.empty(), {}};
    std::copy_n(why.begin(), std::min(why.size(), outcome.why.size() - 1), outcome.why.begin());
    return outcome;
}

/// Rank 0's decision: what every rank begins with, or what all have to do together before. Then a
/// second decision follows.
struct Decision {
    enum class Next : int { begin, measure, read };

    Next next = Next::begin;
    Verdict verdict = Verdict::no_network;
    std::uint64_t bytes = 0;  ///< of the network, to be read
    std::uint64_t host_bytes = 0;
    bool progresses = false;  ///< see Common
    Seconds budget;           ///< of measuring
    double round_trips = 0;   ///< that it has besides
    Seconds left;             ///< until rank 0 gives up
};

Decision decision_of(const Start& start) {
    Decision decision;
    decision.verdict = start.verdict;
    decision.bytes = start.text.size();
    if (start.measure)
        decision.next = Decision::Next::measure;
    else if (start.verdict == Verdict::planned)
        decision.next = Decision::Next::read;
    return decision;
}

/// Rank 0 decides, and tells the others; nobody waits for ever, and no rank plans unless all have
/// said that they can.
class Beginning {
public:
    Beginning(Process* process, Log& log, Common& common)
        : process_(process), log_(log), common_(common) {
        check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank_));
        check(PMPI_Comm_size(MPI_COMM_WORLD, &size_));
        int* most = nullptr;
        int has_most = 0;
        check(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&most), &has_most));
        if (has_most != 0) tag_ = *most;
    }

    Start agree() {
        if (rank_ == 0 && process_ != nullptr) process_->complain();
        Start start;
        start.verdict = Verdict::planned;
        if (size_ == 1) return start;  // whose communicators know by themselves
        start = rank_ == 0 ? lead() : follow();
        if (start.verdict != Verdict::planned && common_.own != MPI_COMM_NULL)
            check(PMPI_Comm_free(&common_.own));
        return start;
    }

private:
    [[nodiscard]] Facts own_facts() const {
        if (process_ == nullptr) return {};
        return pack({process_->host(), digest_of(process_->settings().network)},
                    process_->progress().is_possible());
    }

    Start left_to_mpi(const std::string& why) {
        // Without memory for a line nobody can be told.
        (void)problem_of([&] { log_.warn(why + "; collectives are left to MPI"); });
        return {};
    }

    Start lead() {
        // First of all, so that it takes no memory to tell the others that there is none.
        const auto others = static_cast<std::size_t>(size_ - 1);
        Letters<Facts> facts(tag_, others);
        Letters<Outcome> outcomes(tag_, others);
        Letters<Decision> first(tag_, others);
        Letters<Decision> last(tag_, others);

        Start start;
        const auto deadline = after(patience);
        const std::string problem = problem_of([&] {
            for (int rank = 1; rank < size_; ++rank) facts.expect(rank);
            (void)wait_asleep(deadline, [&] {
                facts.look();
                return facts.has_all();
            });
            start = decide(facts);
        });
        if (!problem.empty()) start = left_to_mpi(problem);
        Decision decision = decision_of(start);
        if (decision.next == Decision::Next::begin) {
            tell(facts, decision, first);
            return start;
        }
        notes_ = std::move(start.notes);
        decision.host_bytes = common_.hosts.size();
        decision.progresses = common_.progresses;
        decision.budget = process_->settings().measure_budget;
        decision.round_trips = process_->settings().measure_round_trips;
        decision.left =
            patience + most_budgets * (decision.budget + decision.round_trips * longest_round_trip);
        const std::string trouble = problem_of([&] {
            for (int rank = 1; rank < size_; ++rank) outcomes.expect(rank);
            tell(facts, decision, first);
            start = lead_together(facts, outcomes, std::move(start), decision);
        });
        if (!trouble.empty()) start = left_to_mpi(trouble);
        decision = decision_of(start);
        decision.next = Decision::Next::begin;
        tell(facts, decision, last);
        return start;
    }

    Start decide(const Letters<Facts>& facts) {
        std::vector<int> silent;
        std::vector<int> off;
        std::vector<RankFacts> ranks{unpack(own_facts())};
        for (int rank = 1; rank < size_; ++rank) {
            const auto index = static_cast<std::size_t>(rank - 1);
            if (!facts.has(index)) {
                silent.push_back(rank);
            } else {
                ranks.push_back(unpack(facts[index]));
                if (!facts[index].on) off.push_back(rank);
            }
        }
        const auto names = [](const std::vector<int>& which) {
            return which.size() == 1
                       ? fmt::format("rank {}", which.front())
                       : fmt::format("rank {} and {} more", which.front(), which.size() - 1);
        };
        if (!silent.empty())
            return left_to_mpi(
                fmt::format("MPI_Init: no word from {} in {}, without this library or out of reach",
                            names(silent), format_seconds(patience)));
        if (process_ == nullptr) off.insert(off.begin(), 0);
        if (off.size() == static_cast<std::size_t>(size_)) return {};
        if (!off.empty()) return left_to_mpi("ESPALIER: off on " + names(off));
        for (const RankFacts& rank : ranks) common_.hosts += rank.host + '\n';
        common_.progresses = process_->progress().is_possible();
        for (int rank = 1; rank < size_; ++rank)
            common_.progresses &= facts[static_cast<std::size_t>(rank - 1)].progresses;
        starter_.emplace(process_->settings(), environment,
                         Starter::Library{ESPALIER_MPI_NAME, measure::library_version()}, ranks);
        Start start = starter_->decide();
        warn(start);
        return start;
    }

    /// All ranks come by the network, or none.
    Start lead_together(const Letters<Facts>& facts, Letters<Outcome>& outcomes, Start start,
                        const Decision& decision) {
        const auto deadline = after(decision.left);
        const auto called_off = [&]() -> std::string {
            outcomes.look();
            for (std::size_t i = 0; i < outcomes.size(); ++i)
                if (outcomes.has(i) && !outcomes[i].well)
                    return fmt::format("rank {} ({}): {}", i + 1, facts[i].host.text(),
                                       outcomes[i].why.data());
            if (Clock::now() > deadline)
                return fmt::format("not done in {}", format_seconds(decision.left));
            return "";
        };
        std::string why = attempt(work_of(decision, start.text), called_off);
        (void)wait_asleep(Clock::time_point::max(), [&] {
            if (why.empty()) why = called_off();
            return !why.empty() || outcomes.has_all();
        });
        const bool measures = decision.next == Decision::Next::measure;
        if (!why.empty())
            return left_to_mpi(fmt::format("MPI_Init: {} the network: {}",
                                           measures ? "measuring" : "handing out", why));
        if (!measures) return start;
        if (!measured_)
            return left_to_mpi(fmt::format("ESPALIER_MEASURE_BUDGET: {} were not enough ({})",
                                           format_seconds(decision.budget), too_little_));
        start = starter_->go_on_with(measured_->network, measured_->notes);
        warn(start);
        return start;
    }

    Start follow() {
        Letters<Decision> decisions(tag_, 2);
        Letters<Facts> facts(tag_, 1);
        Letters<Outcome> outcomes(tag_, 1);
        decisions.expect(0);
        facts.send(0, own_facts());
        const auto hears = [&](std::size_t index, Seconds time) {
            return wait_asleep(after(time), [&] {
                decisions.look();
                facts.look();
                return decisions.has(index);
            });
        };
        if (!hears(0, 2 * patience)) {
            const std::string line =
                "MPI_Init: no word from rank 0, without this library or out "
                "of reach";
            return rank_ == 1 ? left_to_mpi(line) : Start{};
        }
        const Decision decision = decisions[0];
        Start start;
        start.verdict = decision.verdict;
        if (decision.next == Decision::Next::begin) return start;

        decisions.expect(0);
        common_.hosts.resize(decision.host_bytes);
        common_.progresses = decision.progresses;
        start.text.resize(decision.next == Decision::Next::read ? decision.bytes : 0);
        const std::string why = attempt(work_of(decision, start.text), [&] {
            decisions.look();
            return decisions.has(1) ? std::string("rank 0 gave up") : std::string();
        });
        outcomes.send(0, outcome_of(why));
        // Rank 0 has its own deadline, so that its word comes.
        if (!hears(1, decision.left + patience)) return {};
        start.verdict = decisions[1].verdict;
        if (start.verdict != Verdict::planned) start.text.clear();
        return start;
    }

    /// The part of this rank in what all do together, at the end of which it has the network's
    /// text, everybody's host, and a communicator of our own.
    std::function<void(const measure::Watch&)> work_of(const Decision& decision,
                                                       std::string& text) {
        return [this, &text, decision](const measure::Watch& watch) {
            // What may be received when all this is over stays with the work.
            MPI_Comm own = MPI_COMM_NULL;
            MPI_Request made = MPI_REQUEST_NULL;
            std::string hosts = common_.hosts;
            std::string received = text;
            watch(PMPI_Comm_idup(MPI_COMM_WORLD, &own, &made));
            // Nothing else beside it: with Open MPI it is made of nonblocking collectives that take
            // their tags when they get there, on each rank in an order of its own.
            (void)wait_asleep(Clock::time_point::max(), [&] {
                int done = 0;
                watch(PMPI_Test(&made, &done, MPI_STATUS_IGNORE));
                return done != 0;
            });
            watch(PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
            broadcast(hosts, own, watch);
            if (decision.next == Decision::Next::read) broadcast(received, own, watch);
            text = std::move(received);
            if (decision.next == Decision::Next::measure) measure(own, decision, watch, text);
            common_.own = own;
            common_.hosts = std::move(hosts);
        };
    }

    void measure(MPI_Comm own, const Decision& decision, const measure::Watch& watch,
                 std::string& text) {
        measure::Options options;
        options.is_own = true;
        options.host = process_->host();
        options.budget = decision.budget;
        options.round_trips = decision.round_trips;
        options.watch = watch;
        options.earlier = notes_;
        try {
            measured_ = measure::measure_in_detail(own, options);
            text = text_of(measured_->network);
        } catch (const InputError& error) {
            too_little_ = error.what();  // the same on all ranks
        }
    }

    /// Tells all ranks that are there. A rank that can't be told gives up by itself.
    void tell(const Letters<Facts>& facts, const Decision& decision,
              Letters<Decision>& decisions) const {
        for (int rank = 1; rank < size_; ++rank)
            if (facts.has(static_cast<std::size_t>(rank - 1)))
                (void)problem_of([&] { decisions.send(rank, decision); });
        (void)problem_of([&] {
            (void)wait_asleep(after(patience), [&] {
                decisions.look();
                return decisions.has_all();
            });
        });
    }

    void warn(const Start& start) {
        for (const std::string& line : start.warnings) log_.warn(line);
    }

    Process* process_;
    Log& log_;
    Common& common_;
    int rank_ = 0;
    int size_ = 1;
    int tag_ = 32767;  ///< the greatest, which programs hardly use
    std::optional<Starter> starter_;
    std::optional<measure::Measured> measured_;
    std::string notes_;       ///< of an earlier measurement, on rank 0
    std::string too_little_;  ///< why there is none in the time
};

}  // namespace

Start agree(Process* process, Log& log, Common& common) {
    const ErrorsReturned returned(MPI_COMM_WORLD);
    return Beginning(process, log, common).agree();
}

}  // namespace espalier::runtime

#endif
