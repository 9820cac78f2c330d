#pragma once

#include "core/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace espalier::measure {

/// Where trains to a host arrive.
struct TrainStation {
    std::vector<std::uint32_t> addresses;  ///< of IPv4, as the network orders their bytes
    std::uint16_t port = 0;                ///< likewise; 0: none
    std::uint64_t password = 0;            ///< that its trains carry, to be told from others
};

/// A host's end of trains: UDP datagrams that leave right behind each other, and that the narrowest
/// place of their path draws out to the time that each takes there (packet-pair dispersion, Keshav
/// 1991). The kernel notes when they come, so that it does not matter when their receiver looks;
/// and no more leave at once than TCP would send at first. They go to those addresses at which MPI
/// itself talks TCP to others of the job; where it does not, or datagrams don't get through, none
/// comes.
class TrainPort {
public:
    /// Opens it. No errors: a host that can't has no station.
    [[nodiscard]] TrainStation station();
    /// `stations` of all hosts, of which this is number `own`.
    void know(std::vector<TrainStation> stations, std::size_t own);
    void close() { socket_.reset(); }

    /// Lets a train leave to a host. Hosts number those from one to another alike at both ends.
    void depart(std::size_t to, std::uint32_t number);
    /// Takes what has come.
    void take_in();
    /// The bytes of TCP's content per second that the path would carry at which the train came from
    /// that host; 0 if fewer than three datagrams came, or all at once.
    [[nodiscard]] double rate(std::size_t from, std::uint32_t number) const;

private:
    /// When the datagrams of a train came, as far as they kept their order.
    struct Train {
        std::uint32_t first = 0;  ///< places in the train
        std::uint32_t last = 0;
        std::size_t datagrams = 0;
        std::int64_t begin = 0;  ///< nanoseconds
        std::int64_t end = 0;
    };

    /// Where MPI talks TCP: the addresses that it has here for that, and those of other hosts.
    struct Ends {
        std::set<std::uint32_t> here;
        std::map<std::size_t, std::uint32_t> there;  ///< by host
    };
    [[nodiscard]] Ends ends_of_mpi() const;
    [[nodiscard]] std::uint32_t address_of(std::size_t host);

    FileDescriptor socket_;
    std::vector<TrainStation> stations_;
    std::size_t own_ = 0;
    std::optional<Ends> ends_;  ///< as they were when the first train left
    std::map<std::pair<std::size_t, std::uint32_t>, Train> trains_;
};

}  // namespace espalier::measure
