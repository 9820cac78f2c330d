// Preloaded into a program under SMPI, whose ranks are actors of one process and of which each is
// loaded with names of its own, so that its new is libstdc++'s: counts what each rank allocates
// with it, and not what SimGrid does in its name. Writes the most that rank 0 and any other had at
// a time, in bytes, to the file that COUNT_MEMORY names.

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

struct Block {
    std::size_t bytes;
    std::size_t actor;
};
struct Held {
    std::size_t now = 0;
    std::size_t most = 0;
};

struct Count {
    std::uintptr_t begin = 0;  // of libstdc++
    std::uintptr_t end = 0;
    void* (*self)() = nullptr;
    long (*number)(const void*) = nullptr;
    std::unordered_map<void*, Block, std::hash<void*>, std::equal_to<>,
                       Uncounted<std::pair<void* const, Block>>>
        blocks;
    std::vector<Held, Uncounted<Held>> held;
};
Count* count = nullptr;  // once the program runs

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

[[gnu::constructor]] void begin() {
    void* self = dlsym(RTLD_DEFAULT, "sg_actor_self");
    if (self == nullptr) return;
    count = new (__libc_malloc(sizeof(Count))) Count;
    count->self = reinterpret_cast<void* (*)()>(self);
    count->number =
        reinterpret_cast<long (*)(const void*)>(dlsym(RTLD_DEFAULT, "sg_actor_get_pid"));
    dl_iterate_phdr(find_library, nullptr);
}

/// The first actor, which is number 1, is rank 0.
[[gnu::destructor]] void report() {
    const char* name = std::getenv("COUNT_MEMORY");
    if (count == nullptr || name == nullptr || count->held.size() < 3) return;
    std::size_t most = 0;
    for (std::size_t actor = 2; actor < count->held.size(); ++actor)
        most = std::max(most, count->held[actor].most);
    if (std::FILE* file = std::fopen(name, "w")) {
        std::fprintf(file, "%zu %zu\n", count->held[1].most, most);
        std::fclose(file);
    }
    count = nullptr;
}

void* take(std::size_t bytes, const void* caller) {
    void* block = __libc_malloc(bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    if (count == nullptr || address < count->begin || address >= count->end) return block;
    const void* self = count->self();
    const long actor = self != nullptr ? count->number(self) : 0;
    if (actor <= 0) return block;
    const auto own = static_cast<std::size_t>(actor);
    if (count->held.size() <= own) count->held.resize(own + 1);
    Held& held = count->held[own];
    held.now += bytes;
    held.most = std::max(held.most, held.now);
    count->blocks[block] = {bytes, own};
    return block;
}

}  // namespace

extern "C" void* malloc(std::size_t bytes) { return take(bytes, __builtin_return_address(0)); }

extern "C" void free(void* block) {
    if (count != nullptr && block != nullptr) {
        const auto known = count->blocks.find(block);
        if (known != count->blocks.end()) {
            count->held[known->second.actor].now -= known->second.bytes;
            count->blocks.erase(known);
        }
    }
    __libc_free(block);
}

// What SimGrid calls.
void* operator new(std::size_t bytes) { return take(bytes, __builtin_return_address(0)); }
void* operator new[](std::size_t bytes) { return take(bytes, __builtin_return_address(0)); }
