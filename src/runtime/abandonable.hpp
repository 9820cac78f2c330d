#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <utility>

namespace espalier::runtime {

/// Work that may be left for good while MPI still reads and writes its memory: messages of a peer
/// that does not answer can be neither completed nor called back. It runs on a stack of its own,
/// which, once left, is never resumed nor freed, with all that it holds.
class Abandonable {
public:
    explicit Abandonable(std::function<void()> work) : work_(std::move(work)) {}
    Abandonable(const Abandonable&) = delete;
    Abandonable& operator=(const Abandonable&) = delete;

    /// Whether the work came to its end; false where it was left. Throws what the work throws, and
    /// std::bad_alloc where there is no memory for its stack. To be called once.
    bool run();
    /// To be called by the work, from a place where nothing of MPI is being called.
    [[noreturn]] void leave();

private:
    static void begin();

    std::function<void()> work_;
    ucontext_t outside_{};
    ucontext_t inside_{};
    bool ended_ = false;
    std::exception_ptr thrown_;
    [[maybe_unused]] const void* outer_stack_ = nullptr;  ///< for a sanitizer
    [[maybe_unused]] std::size_t outer_bytes_ = 0;
};

}  // namespace espalier::runtime
