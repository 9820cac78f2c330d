#include "doctor/letters.hpp"
#include "doctor/meeting.hpp"
#include "doctor/this_host.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <exception>

namespace espalier::doctor {

namespace {

/// How long the others may take for what all do at once.
constexpr Seconds patience{60};

Probing probing_of(const Task& task, std::uint64_t token) {
    Probing probing;
    probing.token = token;
    probing.self = task.self;
    probing.hosts = task.names.size();
    probing.duration = task.duration;
    probing.small = task.small;
    probing.trains = task.trains;
    for (const Goal& goal : task.goals)
        probing.targets.push_back(
            {goal.host, goal.network, socket_address(goal.address, goal.datagrams), goal.packet});
    return probing;
}

/// Asks for a connection wherever no datagram was answered.
void try_connections(const Task& task, std::vector<Pair>& sent) {
    constexpr Seconds for_an_answer{1.5};
    std::vector<std::size_t> silent;
    std::vector<sockaddr_in> addresses;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        if (sent[i].round_trip_s) continue;
        silent.push_back(i);
        addresses.push_back(socket_address(task.goals[i].address, task.goals[i].connections));
    }
    const std::vector<bool> taken = take_connections(addresses, for_an_answer);
    for (std::size_t i = 0; i < silent.size(); ++i) sent[silent[i]].connects = taken[i];
}

/// Does what the meeting asks for, one message after the other.
void serve(int connection, const Invitation& invitation, const Port& datagrams) {
    const std::string first = receive_text(connection, patience);
    // Nothing to do: another process of this host takes part.
    if (first.empty() || first == "end") return;
    if (!send_text(connection, to_text(look_up(task_from(first).names)))) return;
    while (true) {
        const std::string asked = receive_text(connection, patience);
        std::string answer;
        if (asked.starts_with('{')) {
            const Task task = task_from(asked);
            Probed probed = probe(datagrams.socket.get(), probing_of(task, invitation.token));
            try_connections(task, probed.sent);
            answer = to_text(probed);
        } else if (asked == "work") {
            answer = fmt::format("{}", time_work());
        } else {
            return;
        }
        if (!send_text(connection, answer)) return;
    }
}

}  // namespace

bool attend_meeting(const Invitation& invitation, std::size_t rank, Host here) {
    constexpr Seconds to_get_there{5};
    const Port datagrams = open_port(SOCK_DGRAM);
    const Port connections = open_port(SOCK_STREAM);
    std::vector<sockaddr_in> addresses;
    for (const std::string& address : invitation.addresses)
        // The loopback's is for the first rank's own host.
        if (rank == 0 || address != "127.0.0.1")
            addresses.push_back(socket_address(address, invitation.port));
    const FileDescriptor connection = connect_to_any(addresses, to_get_there);
    if (!connection) return false;
    const Hello hello{invitation.token, rank, datagrams.number, connections.number,
                      std::move(here)};
    try {
        if (send_text(connection.get(), to_text(hello)))
            serve(connection.get(), invitation, datagrams);
    } catch (const std::exception&) {
        // Whoever asked has gone, or is none of ours: the meeting goes on without this host.
        return false;
    }
    return true;
}

}  // namespace espalier::doctor
