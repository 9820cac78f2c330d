#include "runtime/abandonable.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace espalier::runtime {

namespace {

/// Only what is touched of it takes memory.
constexpr std::size_t stack_bytes = std::size_t{8} << 20;

/// The one that begins; a context takes no pointer along.
thread_local Abandonable* beginning = nullptr;

}  // namespace

bool Abandonable::run() {
    void* stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || getcontext(&inside_) != 0) throw std::bad_alloc();
    inside_.uc_stack.ss_sp = stack;
    inside_.uc_stack.ss_size = stack_bytes;
    inside_.uc_link = nullptr;
    makecontext(&inside_, &Abandonable::begin, 0);
    beginning = this;
#ifdef __SANITIZE_ADDRESS__
    void* own_stack = nullptr;
    __sanitizer_start_switch_fiber(&own_stack, stack, stack_bytes);
#endif
    swapcontext(&outside_, &inside_);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(own_stack, nullptr, nullptr);
#endif
    if (!ended_) return false;
#ifdef __SANITIZE_ADDRESS__
    // Other memory may come to where its frames were.
    __asan_unpoison_memory_region(stack, stack_bytes);
#endif
    munmap(stack, stack_bytes);
    if (thrown_) std::rethrow_exception(thrown_);
    return true;
}

void Abandonable::begin() {
    Abandonable& self = *beginning;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(nullptr, &self.outer_stack_, &self.outer_bytes_);
#endif
    try {
        self.work_();
    } catch (...) {
        self.thrown_ = std::current_exception();
    }
    self.ended_ = true;
    self.leave();
}

void Abandonable::leave() {
#ifdef __SANITIZE_ADDRESS__
    void* unused = nullptr;
    __sanitizer_start_switch_fiber(ended_ ? nullptr : &unused, outer_stack_, outer_bytes_);
#endif
    swapcontext(&inside_, &outside_);
    std::abort();  // nobody comes back
}

}  // namespace espalier::runtime
