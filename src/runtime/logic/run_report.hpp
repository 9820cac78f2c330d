#pragma once

#include "core/json.hpp"
#include "core/units.hpp"
#include "plan/race.hpp"
#include "runs/run.hpp"
#include "schedule/collective.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace espalier::runtime {

/// What one process saw of a program's collectives: how often they were called, by which algorithm
/// and why, and how long they were predicted to take and took.
class RunReport {
public:
    /// Calls that are alike.
    struct Call {
        schedule::Kind kind = schedule::Kind::broadcast;
        std::size_t communicator_size = 1;
        std::size_t root = 0;
        Bytes bytes;
        std::string algorithm;  ///< `native` for the MPI library's own
        /// Whether blocks differ. For a total exchange `bytes` is then what rank 0 sends in all,
        /// rounded up to its size class.
        bool uneven = false;
        bool among_neighbours = false;

        friend auto operator<=>(const Call&, const Call&) = default;
    };
    /// The facts about a call that are known beforehand.
    struct Expectation {
        std::string reason;  ///< why native; empty otherwise
        std::size_t segments = 1;
        std::optional<Seconds> predicted;
        Bytes planned_bytes;              ///< the size class that the prediction is for
        std::size_t ports = 1;            ///< messages that a rank sends at once
        std::optional<Seconds> bound;     ///< that nothing beats
        std::uint64_t staging_bytes = 0;  ///< the most that a rank needs beside the program's own
        std::string choice;          ///< why it is done so: what was predicted, or what calls took
        std::size_t agreements = 0;  ///< on what calls took
        std::size_t gatherings = 0;  ///< of all sizes
        std::size_t changes = 0;     ///< of the network that calls told
        Seconds planning;
        Seconds preparing;  ///< what calls waited for before they began, planning included
        /// What calls take until the last rank is done, where ranks told each other.
        std::optional<Seconds> taken{};
        /// What a call takes by a plan and by MPI's own; nullopt where that is not known.
        std::optional<runs::Call::Gain> gain{};
        /// The candidates of the plan; nullptr where nothing was planned here.
        std::shared_ptr<const std::vector<plan::Considered>> considered{};
    };
    /// Calls are described anew when this is another one.
    struct State {
        const void* plan = nullptr;
        std::size_t told = 0;  ///< how often calls told something

        friend bool operator==(const State&, const State&) = default;
    };
    /// The process that reports.
    struct Heading {
        /// How the job began.
        struct Start {
            std::string origin;  ///< of the network
            std::optional<Seconds> measured_in;
            Seconds took;  ///< beside the MPI library's own part
        };
        std::string program;
        std::string mpi;
        std::string network;  ///< path
        Start start;
        std::string fingerprint;
        std::size_t ranks = 1;
        std::vector<std::string> hosts;  ///< by rank; none where they were not told
        Seconds elapsed;                 ///< since the start
        std::string left_to_mpi;         ///< why no call was looked at; empty: calls were
    };

    /// A call that took so long on this rank. `describe` is asked for at the first one, and when
    /// the state is another one than at the last.
    void add(const Call& call, const State& state, const std::function<Expectation()>& describe,
             Seconds elapsed);
    /// A call that was handed on to MPI, by its name in C.
    void add_passed(const std::string& name) { ++passed_[name]; }
    /// The call's name in reports; and a call of that name, nullopt where it is none.
    [[nodiscard]] static std::string name_of(const Call& call);
    [[nodiscard]] static std::optional<Call> find_call(const std::string& name);
    /// A call that was made so often, as to_json() has it, but for what was measured.
    [[nodiscard]] static Json call_json(const Call& call, std::size_t calls,
                                        const Expectation& known);
    /// What to_json() says of the process.
    [[nodiscard]] static Json heading_json(const Heading& heading);

    /// What to_json() says, but for medians, which take their time.
    [[nodiscard]] runs::Run so_far(const Heading& heading) const;
    /// Format `espalier-run`, version 1.
    [[nodiscard]] Json to_json(const Heading& heading) const;

private:
    struct Record {
        Expectation expectation;
        State state;
        std::size_t calls = 0;
        Seconds sum;
        std::vector<double> elapsed;  ///< of the first calls, in seconds
    };
    std::map<Call, Record> records_;
    std::map<std::string, std::size_t> passed_;
};

}  // namespace espalier::runtime
