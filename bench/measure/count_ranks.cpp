// Preloaded into a program under SMPI, whose ranks are actors of one process and of which each is
// loaded with names of its own, so that its new is libstdc++'s. Counts for each rank what it
// allocates with it, and not what SimGrid does in its name, and the messages that it sends and
// receives, those of MPI's own collectives included. Writes a line of JSON for each phase of the
// program to the file that COUNT_RANKS names: the phase's name, and of each rank `memory`, the most
// bytes that it had at a time; `sent`, `sent_bytes`, `received` and `received_bytes`; and `peers`,
// the others with which it exchanged messages, each of which takes a connection. A program begins a
// phase by count_ranks_in(NAME); the first has no name.
//
// SMPI's MPI_Iallreduce sends from each rank to each other one, a million messages among a thousand
// ranks; MPI libraries do it as they do MPI_Allreduce, and so it is done here.

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>
#include <vector>

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void __libc_free(void* block);

namespace {

template <typename T>
struct Uncounted {
    using value_type = T;
    Uncounted() = default;
    template <typename Other>
    Uncounted(const Uncounted<Other>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(__libc_malloc(count * sizeof(T))); }
    void deallocate(T* block, std::size_t) { __libc_free(block); }
    bool operator==(const Uncounted&) const { return true; }
};

template <typename T>
using List = std::vector<T, Uncounted<T>>;

struct Block {
    std::size_t bytes;
    std::size_t rank;
};

struct Traffic {
    std::size_t messages = 0;
    std::size_t bytes = 0;

    void add(std::size_t more) {
        ++messages;
        bytes += more;
    }
};

struct Rank {
    std::size_t held = 0;
    std::size_t most = 0;
    Traffic sent;
    Traffic received;
    List<bool> met;  // by rank

    void meet(std::size_t other) {
        if (met.size() <= other) met.resize(other + 1, false);
        met[other] = true;
    }
};

using Request = void(void* self, const void* buffer, int count, void* type, long from, long to,
                     int tag, void* comm, unsigned flags, void* op);

struct Count {
    std::uintptr_t begin = 0;  // of libstdc++
    std::uintptr_t end = 0;
    void* (*self)() = nullptr;
    long (*number)(const void*) = nullptr;
    Request* request = nullptr;
    int (*size_of)(void* type, int* bytes) = nullptr;
    int (*allreduce)(const void* own, void* result, int count, void* type, void* op, void* comm,
                     void** request) = nullptr;
    std::FILE* file = nullptr;
    const char* phase = "";
    std::unordered_map<void*, Block, std::hash<void*>, std::equal_to<>,
                       Uncounted<std::pair<void* const, Block>>>
        blocks;
    List<Rank> ranks;

    /// The first actor, which is number 1, is rank 0.
    Rank& of(std::size_t rank) {
        if (ranks.size() <= rank) ranks.resize(rank + 1);
        return ranks[rank];
    }
};
Count* count = nullptr;  // once the program runs

template <typename Function>
void find(Function*& function, const char* name, void* where = RTLD_DEFAULT) {
    function = reinterpret_cast<Function*>(dlsym(where, name));
}

int find_library(dl_phdr_info* info, std::size_t, void*) {
    if (std::strstr(info->dlpi_name, "libstdc++") == nullptr) return 0;
    for (int k = 0; k < info->dlpi_phnum; ++k) {
        const auto& part = info->dlpi_phdr[k];
        if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
        count->begin = info->dlpi_addr + part.p_vaddr;
        count->end = count->begin + part.p_memsz;
    }
    return 1;
}

/// Where SimGrid makes a request, which is the one place where all messages pass.
constexpr const char* request_name =
    "_ZN7simgrid4smpi7RequestC1EPKviPNS0_8DatatypeElliPNS0_4CommEjPNS0_2OpE";
constexpr unsigned is_send = 0x4;  // MPI_REQ_SEND

[[gnu::constructor]] void begin() {
    // smpirun is a script, whose other programs have this library as well.
    if (dlsym(RTLD_DEFAULT, "sg_actor_self") == nullptr) return;
    const char* name = std::getenv("COUNT_RANKS");
    count = new (__libc_malloc(sizeof(Count))) Count;
    find(count->self, "sg_actor_self");
    find(count->number, "sg_actor_get_pid");
    find(count->request, request_name, RTLD_NEXT);
    find(count->size_of, "PMPI_Type_size");
    find(count->allreduce, "PMPI_Iallreduce", RTLD_NEXT);
    count->file = name == nullptr ? nullptr : std::fopen(name, "w");
    if (count->file == nullptr) {
        std::fprintf(stderr, "espalier: COUNT_RANKS: names no file that can be written\n");
        std::_Exit(2);
    }
    dl_iterate_phdr(find_library, nullptr);
}

void write_list(const char* name, const char* after, auto&& of) {
    std::fprintf(count->file, "\"%s\":[", name);
    const char* between = "";
    for (const Rank& rank : count->ranks) {
        std::fprintf(count->file, "%s%zu", between, static_cast<std::size_t>(of(rank)));
        between = ",";
    }
    std::fprintf(count->file, "]%s", after);
}

void end_phase() {
    std::fprintf(count->file, "{\"phase\":\"%s\",", count->phase);
    write_list("memory", ",", [](const Rank& rank) { return rank.most; });
    write_list("sent", ",", [](const Rank& rank) { return rank.sent.messages; });
    write_list("sent_bytes", ",", [](const Rank& rank) { return rank.sent.bytes; });
    write_list("received", ",", [](const Rank& rank) { return rank.received.messages; });
    write_list("received_bytes", ",", [](const Rank& rank) { return rank.received.bytes; });
    write_list("peers", "}\n",
               [](const Rank& rank) { return std::count(rank.met.begin(), rank.met.end(), true); });
}

[[gnu::destructor]] void end() {
    if (count == nullptr) return;
    end_phase();
    std::fclose(count->file);
    count = nullptr;
}

void* take(std::size_t bytes, const void* caller) {
    void* block = __libc_malloc(bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    if (count == nullptr || address < count->begin || address >= count->end) return block;
    const void* self = count->self();
    const long actor = self != nullptr ? count->number(self) : 0;
    if (actor <= 0) return block;
    const auto number = static_cast<std::size_t>(actor - 1);
    Rank& rank = count->of(number);
    rank.held += bytes;
    rank.most = std::max(rank.most, rank.held);
    count->blocks[block] = {bytes, number};
    return block;
}

}  // namespace

extern "C" void count_ranks_in(const char* phase) {
    if (count == nullptr) return;
    end_phase();
    count->phase = phase;
    for (Rank& rank : count->ranks) {
        rank.most = rank.held;
        rank.sent = rank.received = {};
        rank.met.clear();
    }
}

extern "C" void make_request(
    void* self, const void* buffer, int elements, void* type, long from, long to, int tag,
    void* comm, unsigned flags,
    void* op) asm("_ZN7simgrid4smpi7RequestC1EPKviPNS0_8DatatypeElliPNS0_4CommEjPNS0_2OpE");

extern "C" void make_request(void* self, const void* buffer, int elements, void* type, long from,
                             long to, int tag, void* comm, unsigned flags, void* op) {
    count->request(self, buffer, elements, type, from, to, tag, comm, flags, op);
    if ((flags & is_send) == 0 || from == to || from <= 0 || to <= 0) return;
    int bytes = 0;
    count->size_of(type, &bytes);
    const std::size_t carried =
        static_cast<std::size_t>(bytes) * static_cast<std::size_t>(elements);
    const auto sender = static_cast<std::size_t>(from - 1);
    const auto receiver = static_cast<std::size_t>(to - 1);
    count->of(std::max(sender, receiver));
    count->ranks[sender].sent.add(carried);
    count->ranks[receiver].received.add(carried);
    count->ranks[sender].meet(receiver);
    count->ranks[receiver].meet(sender);
}

// What its MPI_Allreduce passes for a request (MPI_REQUEST_IGNORED).
void** const none = reinterpret_cast<void**>(std::intptr_t{-100});

extern "C" int PMPI_Iallreduce(const void* own, void* result, int elements, void* type, void* op,
                               void* comm, void** request) {
    if (request != none) *request = nullptr;  // MPI_REQUEST_NULL: it is complete
    return count->allreduce(own, result, elements, type, op, comm, none);
}

extern "C" void* malloc(std::size_t bytes) { return take(bytes, __builtin_return_address(0)); }

extern "C" void free(void* block) {
    if (count != nullptr && block != nullptr) {
        const auto known = count->blocks.find(block);
        if (known != count->blocks.end()) {
            count->ranks[known->second.rank].held -= known->second.bytes;
            count->blocks.erase(known);
        }
    }
    __libc_free(block);
}

// What SimGrid calls.
void* operator new(std::size_t bytes) { return take(bytes, __builtin_return_address(0)); }
void* operator new[](std::size_t bytes) { return take(bytes, __builtin_return_address(0)); }
