#pragma once

#include "measure/method/message_tree.hpp"

#include <mpi.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace espalier::measure {

/// Called with MPI_SUCCESS now and then while a rank waits, and with the code of every call that
/// fails. It need not come back; what it leaves then is still being sent or received.
using Watch = std::function<void(int code)>;

/// A private communicator with the few operations that measuring needs. Control messages go between
/// rank 0 and everybody over a flat tree, which on a slow network takes a few latencies and not
/// their logarithm; MPI's own collectives are what this project is about to replace. Only PMPI_
/// names are called, so that a library which interposes MPI's calls is not entered.
class Channel {
public:
    /// On a duplicate of `parent`, or on itself where it is our own. Collective over it. Where a
    /// call fails and `watch` comes back, or is empty, its methods throw std::runtime_error.
    explicit Channel(MPI_Comm parent, Watch watch = {}, bool is_own = false);
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    [[nodiscard]] MPI_Comm comm() const { return comm_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    /// Seconds, by MPI's clock, which a simulator simulates.
    [[nodiscard]] double now() const { return PMPI_Wtime(); }

    /// Everybody's bytes, by rank, at rank 0; nothing elsewhere. Collective.
    [[nodiscard]] std::vector<std::string> gather(const std::string& own) const;
    /// Rank 0's bytes, everywhere. Collective.
    [[nodiscard]] std::string broadcast(const std::string& bytes) const;
    /// Of what rank 0 has for each rank, this rank's. Collective.
    [[nodiscard]] std::string scatter(std::vector<std::string> parts) const;
    /// From now on a slow link between `groups` of ranks is crossed once for all of a group. They
    /// are the same everywhere, and each rank is in one. Collective.
    void speak_by(const std::vector<std::vector<int>>& groups);

    /// Checks what a call on this communicator returned.
    void check(int code) const;
    /// Waits busily, as is right for what is timed.
    void wait(MPI_Request& request) const;
    void wait_all(std::span<MPI_Request> requests) const;
    struct Completed {
        std::size_t place;
        MPI_Status status;
    };
    /// On a simulator waiting costs nothing, but looks do.
#ifdef ESPALIER_MPI_SMPI
    static constexpr bool looks_wait = true;
#else
    static constexpr bool looks_wait = false;
#endif
    /// Those of the requests that are completed now; nullopt where none is waited for. All at one
    /// look, since libraries go round all connections at each. Where looks wait, one of them, which
    /// it waits for.
    [[nodiscard]] std::optional<std::vector<Completed>> look(std::span<MPI_Request> requests) const;
    /// The place of one that is completed; nullopt where there is none to wait for.
    [[nodiscard]] std::optional<std::size_t> wait_any(std::span<MPI_Request> requests) const;
    /// MPI_Send and MPI_Recv, with a wait() that is watched.
    void send_now(const void* data, int count, MPI_Datatype type, int receiver, int tag) const;
    void receive_now(void* data, int count, MPI_Datatype type, int sender, int tag) const;

    /// Waits for something that may take long, without keeping a processor busy that others may
    /// need. Not for what is timed.
    void wait_idly(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) const;
    /// Lets time pass, and the library make progress meanwhile.
    void pause_until(double time) const;

private:
    friend class Idleness;
    template <typename Test>
    void wait_busily(const Test& test) const;
    void look_round() const;
    /// To each receiver its part.
    void send(const std::vector<const std::string*>& parts,
              const std::vector<int>& receivers) const;
    void send(const std::string& bytes, const std::vector<int>& receivers) const;
    [[nodiscard]] std::vector<std::string> receive(const std::vector<int>& senders) const;

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    MessageTree tree_;
    Watch watch_;
    bool is_own_ = false;
    mutable double watched_ = 0;     ///< when watch_ was called last
    mutable std::vector<int> seen_;  ///< look()'s room
    mutable std::vector<MPI_Status> statuses_;
};

/// Time in which a rank finds nothing to do. Others may need its processor, so that it rests: for a
/// moment only, but longer each time.
class Idleness {
public:
    explicit Idleness(const Channel& channel) : channel_(&channel), since_(channel.now()) {}
    void rest();

private:
    const Channel* channel_;
    double since_;
    double nap_s_ = 20e-6;
};

}  // namespace espalier::measure
