// A program that starts MPI, broadcasts from rank 0 so many times, and ends, and says what each
// rank's process had to do with each of these.
//
//     footprint FOLDER CALLS BYTES
//
// Each rank writes to FOLDER/rank-N a line of JSON for each phase (`start`, `call 1`, …, `end`):
// `seconds` that it took; and, of real processes, `cpu_s`, the seconds of processors that it used;
// `sent_bytes` and `packets`, what the host's network cards sent; and by the end of the phase
// `memory`, the most bytes that the process had at a time, and `connections`, those of TCP that it
// has with other hosts. Under SMPI messages are counted from outside
// (bench/measure/count_ranks.cpp).

#include <mpi.h>

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace {

#ifdef ESPALIER_MPI_SMPI

extern "C" void count_ranks_in(const char* phase) __attribute__((weak));

/// Of a process that nothing but the simulator knows.
struct Usage {
    double seconds = 0;

    static Usage now() { return {MPI_Wtime()}; }
    void write(std::ostream& out, const Usage& /*before*/) const { (void)out; }
};

void sleep_until(double time) {
    const double left = time - MPI_Wtime();
    if (left <= 0) return;
    timespec duration{};
    duration.tv_sec = static_cast<time_t>(left);
    duration.tv_nsec = static_cast<long>((left - std::floor(left)) * 1e9);
    nanosleep(&duration, nullptr);
}

/// All ranks begin at the same time, which needs no message, and whoever counts knows of it before.
void separate(int rank, const std::string& phase) {
    constexpr double longest = 60;
    const double next = (std::floor(MPI_Wtime() / longest) + 1) * longest;
    if (rank == 0) {
        sleep_until(next - 1);
        if (count_ranks_in != nullptr) count_ranks_in((new std::string(phase))->c_str());
    }
    sleep_until(next);
}

#else

/// The number that follows a word at the begin of a line of a file of /proc.
double number_of(const char* file, const std::string& word) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(word)) return std::strtod(line.c_str() + word.size(), nullptr);
    return 0;
}

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Of the process, and of the host's network cards.
struct Usage {
    double seconds = 0;
    double cpu_s = 0;
    double sent_bytes = 0;
    double packets = 0;

    static Usage now() {
        Usage usage;
        const auto since = std::chrono::steady_clock::now().time_since_epoch();
        usage.seconds = std::chrono::duration<double>(since).count();
        usage.cpu_s = processor_seconds();
        std::ifstream lines("/proc/self/net/dev");
        for (std::string line; std::getline(lines, line);) {
            const std::size_t colon = line.find(':');
            if (colon == std::string::npos || line.find("lo:") != std::string::npos) continue;
            std::istringstream fields(line.substr(colon + 1));
            std::vector<double> values;
            for (double value = 0; fields >> value;) values.push_back(value);
            constexpr std::size_t sent = 8;  // after as many of what was received
            usage.sent_bytes += values[sent];
            usage.packets += values[sent + 1];
        }
        return usage;
    }
    void write(std::ostream& out, const Usage& before) const {
        out << ",\"cpu_s\":" << cpu_s - before.cpu_s
            << ",\"sent_bytes\":" << sent_bytes - before.sent_bytes
            << ",\"packets\":" << packets - before.packets
            << ",\"memory\":" << number_of("/proc/self/status", "VmHWM:") * 1024
            << ",\"connections\":" << connections();
    }

private:
    static long connections() {
        std::set<std::string> own;  // inodes of sockets
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            std::error_code gone;
            const std::string name = std::filesystem::read_symlink(entry, gone).string();
            const std::string head = "socket:[";
            if (name.starts_with(head))
                own.insert(name.substr(head.size(), name.size() - head.size() - 1));
        }
        std::ifstream lines("/proc/self/net/tcp");
        long found = 0;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
            constexpr std::size_t peer = 2, state = 3, inode = 9;
            if (fields.size() <= inode || !own.contains(fields[inode])) continue;
            const bool stays_here = fields[peer].starts_with("0100007F");  // 127.0.0.1
            if (fields[state] == "01" && !stays_here) ++found;             // established
        }
        return found;
    }
};

void separate(int /*rank*/, const std::string& /*phase*/) { PMPI_Barrier(MPI_COMM_WORLD); }

#endif

class Record {
public:
    void add(const std::string& phase, const Usage& before) {
        const Usage after = Usage::now();
        lines_.precision(9);
        lines_ << "{\"phase\":\"" << phase << "\",\"seconds\":" << after.seconds - before.seconds;
        after.write(lines_, before);
        lines_ << "}\n";
    }
    [[nodiscard]] bool write(const std::string& folder, int rank) const {
        std::ofstream file(folder + "/rank-" + std::to_string(rank));
        file << lines_.str();
        return file.good();
    }

private:
    std::ostringstream lines_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: footprint FOLDER CALLS BYTES\n");
        return 2;
    }
    const int calls = std::atoi(argv[2]);
    std::vector<char> message(static_cast<std::size_t>(std::atoi(argv[3])));
    Record record;
#ifdef ESPALIER_MPI_SMPI
    Usage before;  // a simulation begins at 0
#else
    Usage before = Usage::now();
#endif
    MPI_Init(&argc, &argv);
    record.add("start", before);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int call = 1; call <= calls; ++call) {
        const std::string phase = "call " + std::to_string(call);
        separate(rank, phase);
        before = Usage::now();
        MPI_Bcast(message.data(), static_cast<int>(message.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
        record.add(phase, before);
    }
    separate(rank, "end");
    before = Usage::now();
    const std::string folder = argv[1];
#ifdef ESPALIER_MPI_SMPI
    if (!record.write(folder, rank)) return 2;
    MPI_Finalize();
    return 0;
#else
    MPI_Finalize();
    record.add("end", before);
    return record.write(folder, rank) ? 0 : 2;
#endif
}
