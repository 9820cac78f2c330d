// Times collectives between ranks of one machine, each from a start that all ranks sleep until to
// the end of the last rank's call. What ranks agree on goes through a file that they all map, so
// the network carries nothing else.
//
//     timed_calls SHARED ORDERS
//
// SHARED is a file that isn't there yet. ORDERS is a file, or a named pipe, of lines that rank 0
// reads until `end`:
//
//     COLLECTIVE BYTES ROOT WARM_UPS REPETITIONS SECONDS COMPUTING
//
// BYTES are of one rank's operand (message, vector or block), a multiple of 8, 0 for a barrier. Of
// the repetitions no more are begun when SECONDS are over. A nonblocking call is waited for after
// COMPUTING seconds. Rank 0 prints one line of JSON at first,
// with the hosts of all ranks, and one for each order, with every call's time; all calls are
// checked.

#include "../common/checked_collectives.hpp"
#include "meeting.hpp"

#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace espalier::bench;

// MPICH 4.0 over UCX does not always come back from MPI_Finalize.
constexpr unsigned longest_finalize_s = 3;

/// Lets MPI send on what its calls left unfinished.
void progress() {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

/// Seconds of one call, the same on all ranks.
double time_of(const CheckedCall& collective, Meeting& meeting, bool& right) {
    collective.clear();
    const double start = meeting.agree_on_start();
    sleep_until(start);
    collective.call();
    meeting.say_outcome(monotonic_now(), true);
    meeting.meet();
    const double seconds = meeting.last_finish() - start;
    meeting.meet();
    meeting.say_outcome(0, collective.is_right());
    meeting.meet();
    right = right && meeting.all_right();
    return seconds;
}

std::string listed(const std::vector<double>& times) {
    std::string text;
    for (const double time : times) {
        char number[32];
        std::snprintf(number, sizeof number, "%s%.9f", text.empty() ? "" : ",", time);
        text += number;
    }
    return "[" + text + "]";
}

/// Performs the order; false if there is no such collective.
bool perform(const Order& order, Part part, Meeting& meeting) {
    const auto found = checked_collectives.find(order.collective);
    if (found == checked_collectives.end() || order.bytes < 0 || order.bytes % 8 != 0 ||
        order.root < 0 || order.root >= part.ranks)
        return false;
    part.root = order.root;
    part.computing_s = order.computing_s;
    const CheckedCall collective = found->second(part, order.bytes / 8);
    bool right = true;
    std::vector<double> warm_ups;
    std::vector<double> times;
    for (int i = 0; i < order.warm_ups; ++i)
        warm_ups.push_back(time_of(collective, meeting, right));
    double used = 0;
    for (int i = 0; i < order.repetitions && used < order.budget_s; ++i) {
        times.push_back(time_of(collective, meeting, right));
        used += times.back();
    }
    if (part.rank == 0)
        std::printf(
            "{\"collective\":\"%s\",\"bytes\":%d,\"root\":%d,\"right\":%s,\"warm_up_s\":%s,"
            "\"seconds\":%s}\n",
            order.collective, order.bytes, order.root, right ? "true" : "false",
            listed(warm_ups).c_str(), listed(times).c_str());
    std::fflush(stdout);
    return true;
}

/// The order that the line states; if it states none, the one that ends the program.
Order read(const std::string& line) {
    Order order{};
    std::istringstream words(line);
    std::string collective;
    words >> collective >> order.bytes >> order.root >> order.warm_ups >> order.repetitions >>
        order.budget_s >> order.computing_s;
    order.ends = !words;
    collective.copy(order.collective, sizeof order.collective - 1);
    return order;
}

void introduce(const Part& part, Meeting& meeting) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    meeting.say_host(host);
    meeting.meet();
    if (part.rank != 0) return;
    std::string hosts;
    for (int rank = 0; rank < part.ranks; ++rank)
        hosts += (rank > 0 ? ",\"" : "\"") + meeting.host(rank) + "\"";
    std::printf("{\"ranks\":%d,\"hosts\":[%s]}\n", part.ranks, hosts.c_str());
    std::fflush(stdout);
}

int follow_orders(const Part& part, const char* shared, const char* orders) {
    Meeting meeting(shared, part.rank, part.ranks, progress);
    introduce(part, meeting);
    std::ifstream lines;
    if (part.rank == 0) lines.open(orders);
    for (;;) {
        std::string line;
        if (part.rank == 0) {
            std::getline(lines, line);
            meeting.give(read(line));
        }
        const Order order = meeting.next_order();
        meeting.meet();
        if (order.ends) return 0;
        if (perform(order, part, meeting)) continue;
        if (part.rank == 0) std::fprintf(stderr, "timed_calls: %s: no such order\n", line.c_str());
        return 2;
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Part part;
    MPI_Comm_rank(MPI_COMM_WORLD, &part.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &part.ranks);
    int status = 2;
    if (argc != 3) {
        if (part.rank == 0) std::fprintf(stderr, "usage: timed_calls SHARED ORDERS\n");
    } else {
        try {
            status = follow_orders(part, argv[1], argv[2]);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "timed_calls: %s\n", error.what());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    std::signal(SIGALRM, [](int) { _exit(0); });
    alarm(longest_finalize_s);
    MPI_Finalize();
    return status;
}
