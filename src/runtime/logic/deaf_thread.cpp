#include "runtime/logic/deaf_thread.hpp"

#include <csignal>

namespace espalier::runtime {

namespace {

/// Lets no signal be handled in this thread, nor in those that it begins, while it lasts.
class Deafness {
public:
    Deafness() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~Deafness() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    Deafness(const Deafness&) = delete;
    Deafness& operator=(const Deafness&) = delete;

private:
    sigset_t before_;
};

}  // namespace

std::thread begin_deaf(const std::function<void()>& work) {
    const Deafness deafness;
    return std::thread(work);
}

}  // namespace espalier::runtime
