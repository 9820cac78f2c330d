#pragma once

#include "runtime/logic/bandit.hpp"
#include "runtime/logic/planned_collective.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {

/// By what the calls of a signature on a communicator were done, one after the other.
class CallRecord {
public:
    /// The algorithm of a plan, or `native`, that did the calls from `begin` on, counted from 0.
    struct Turn {
        std::uint64_t begin = 0;
        std::string algorithm;

        friend bool operator==(const Turn&, const Turn&) = default;
    };

    CallRecord() = default;
    /// The first of `turns` begins with call 0, and each later one after the one before.
    explicit CallRecord(std::vector<Turn> turns) : turns_(std::move(turns)) {}

    /// Replaces what is recorded; `plans` are the algorithms of the variants.
    void note(const std::vector<Bandit::Turn>& turns, const std::vector<std::string>& plans);
    /// What is recorded, by these plans and MPI's own; where it names others, what is predicted to
    /// be the fastest does all calls.
    [[nodiscard]] std::vector<Bandit::Turn> turns_by(const PlannedCollective& plans) const;
    [[nodiscard]] const std::vector<Turn>& turns() const { return turns_; }

private:
    std::vector<Turn> turns_;
};

/// Records of calls whose results depend on the order in which operands are combined (sums of
/// floating-point numbers), so that a later run of a program, which makes the same calls, has them
/// done likewise, call by call: its results are those of the run in which calls decided. It is kept
/// as a file of the cache, one for each network and MPI library; several processes may use it at
/// once.
class CallHistory {
public:
    /// The circumstances under which the same calls are done alike.
    struct Conditions {
        std::string network;  ///< fingerprint
        std::string mpi;      ///< `openmpi`, `mpich`
        std::string library;  ///< version, as MPI_Get_library_version says it
    };
    /// Reads what was kept in `folder`, which is made where there is none. Throws InputError, one
    /// line naming file or folder, where nothing could be kept there, or what was kept is unusable.
    CallHistory(const std::string& folder, Conditions conditions);

    /// The record of the calls of `signature` on the next communicator whose ranks are on `hosts`:
    /// of an earlier run, or an empty one. nullptr where there are very many such communicators.
    [[nodiscard]] std::shared_ptr<CallRecord> open(const std::vector<std::string>& hosts,
                                                   const Signature& signature);
    /// What open() would return now, as a copy that is not kept.
    [[nodiscard]] std::shared_ptr<CallRecord> peek(const std::vector<std::string>& hosts,
                                                   const Signature& signature) const;
    /// Keeps the records that were empty before, unless another process has kept some meanwhile.
    /// Throws InputError, one line naming the file, where that fails.
    void keep() const;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    struct Key {
        Signature signature;
        std::string hosts;             ///< a digest of their names
        std::size_t communicator = 0;  ///< counted from 0, in the order of first calls

        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Kept {
        Key key;
        std::shared_ptr<CallRecord> record;
        bool is_new = true;
    };

    /// Of the next such calls that are opened.
    [[nodiscard]] Key next_key(const std::vector<std::string>& hosts,
                               const Signature& signature) const;
    void make_folder() const;
    [[nodiscard]] std::vector<Kept> read() const;

    Conditions conditions_;
    std::string path_;
    std::vector<Kept> records_;
    std::vector<Key> opened_;  ///< of each signature and hosts, with the next communicator's number
};

}  // namespace espalier::runtime
