// Stands between the code that is tested and the MPI library, in builds with ThreadSanitizer, which
// sees nothing of what an MPI library does with the memory that it is given. A thread of this file
// tells it: what is sent is read, and what is received is written, when the library is done with it
// and before the caller hears so. So whatever touches such memory in between is a race.
//
// The caller holds a generalised request, which this thread completes; the library's own request is
// the thread's. This file is compiled without the sanitizer: that it synchronises must hide no
// race.

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <thread>

extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void __tsan_read_range(void* address, unsigned long bytes);
void __tsan_write_range(void* address, unsigned long bytes);
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace {

/// The MPI library's own function.
template <typename Function>
Function* next(const char* name) {
    void* found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) std::abort();
    return reinterpret_cast<Function*>(found);
}
#define NEXT(name) next<decltype(name)>(#name)

/// The memory of so many elements of a type: all that lies in it, or, where there are gaps, its
/// first and last bytes.
class Buffer {
public:
    Buffer() = default;
    Buffer(const void* address, int count, MPI_Datatype type, bool written) : written_(written) {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        MPI_Aint first = 0;
        MPI_Aint length = 0;
        int size = 0;
        PMPI_Type_get_extent(type, &lower, &extent);
        PMPI_Type_get_true_extent(type, &first, &length);
        PMPI_Type_size(type, &size);
        if (count <= 0 || size <= 0) return;
        begin_ = static_cast<std::byte*>(const_cast<void*>(address)) + first;
        bytes_ = static_cast<std::size_t>((count - 1) * extent + length);
        has_gaps_ = length != size || (count > 1 && extent != length);
    }
    void touch() const {
        if (bytes_ == 0) return;
        const auto touch_range = written_ ? __tsan_write_range : __tsan_read_range;
        if (!has_gaps_) return touch_range(begin_, bytes_);
        touch_range(begin_, 1);
        touch_range(begin_ + bytes_ - 1, 1);
    }

private:
    std::byte* begin_ = nullptr;
    std::size_t bytes_ = 0;
    bool has_gaps_ = false;
    bool written_ = false;
};

/// What the library has begun.
struct Begun {
    MPI_Request own = MPI_REQUEST_NULL;
    MPI_Request seen = MPI_REQUEST_NULL;
    std::array<Buffer, 2> buffers;
    MPI_Status status{};
    std::atomic<bool> is_to_be_cancelled = false;
    Begun* following = nullptr;

    /// Whether it is over: then its caller may hear of it.
    bool complete() {
        if (is_to_be_cancelled.exchange(false)) PMPI_Cancel(&own);
        int done = 0;
        const int code = PMPI_Test(&own, &done, &status);
        if (done == 0 && code == MPI_SUCCESS) return false;
        status.MPI_ERROR = code;
        int cancelled = 0;
        PMPI_Test_cancelled(&status, &cancelled);
        if (cancelled == 0) touch();
        PMPI_Grequest_complete(seen);
        return true;
    }

private:
    /// As a thread of its own, which knows what its caller did before, and of no other call.
    void touch() {
        constexpr unsigned without_synchronising = 1;
        void* const thread = __tsan_get_current_fiber();
        void* const fiber = __tsan_create_fiber(0);
        __tsan_switch_to_fiber(fiber, without_synchronising);
        __tsan_acquire(this);
        for (const Buffer& buffer : buffers) buffer.touch();
        __tsan_release(this);
        __tsan_switch_to_fiber(thread, without_synchronising);
        __tsan_destroy_fiber(fiber);
    }
};

std::atomic<Begun*> newest = nullptr;

[[noreturn]] void complete_all() {
    Begun* all = nullptr;
    while (true) {
        for (Begun* more = newest.exchange(nullptr); more != nullptr;) {
            Begun* const following = more->following;
            more->following = all;
            all = more;
            more = following;
        }
        for (Begun** each = &all; *each != nullptr;) {
            Begun* const following = (*each)->following;
            if ((*each)->complete())
                *each = following;
            else
                each = &(*each)->following;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
}

int query(void* extra, MPI_Status* status) {
    const Begun& what = *static_cast<Begun*>(extra);
    __tsan_acquire(extra);
    *status = what.status;
    return what.status.MPI_ERROR;
}

int release(void* extra) {
    delete static_cast<Begun*>(extra);
    return MPI_SUCCESS;
}

int cancel(void* extra, int is_over) {
    if (is_over == 0) static_cast<Begun*>(extra)->is_to_be_cancelled = true;
    return MPI_SUCCESS;
}

/// Has a thread complete them, for as long as there is a process.
void begin_completing() {
    static const bool has_begun = [] {
        std::thread(complete_all).detach();
        return true;
    }();
    static_cast<void>(has_begun);
}

/// `begin(&request)` begins it.
template <typename Begin>
int watch(const Begin& begin, std::array<Buffer, 2> buffers, MPI_Request* request) {
    begin_completing();
    auto what = std::make_unique<Begun>();
    what->buffers = buffers;
    const int code = begin(&what->own);
    if (code != MPI_SUCCESS) return code;
    const int made = PMPI_Grequest_start(query, release, cancel, what.get(), &what->seen);
    if (made != MPI_SUCCESS) return made;
    *request = what->seen;
    __tsan_release(what.get());
    what->following = newest;
    while (!newest.compare_exchange_weak(what->following, what.get())) {
    }
    static_cast<void>(what.release());
    return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Isend(const void* data, int count, MPI_Datatype type, int receiver, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return watch(
        [&](MPI_Request* own) {
            return NEXT(PMPI_Isend)(data, count, type, receiver, tag, comm, own);
        },
        {Buffer(data, count, type, false)}, request);
}

int PMPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return watch(
        [&](MPI_Request* own) {
            return NEXT(PMPI_Irecv)(data, count, type, source, tag, comm, own);
        },
        {Buffer(data, count, type, true)}, request);
}

int PMPI_Iallreduce(const void* data, void* result, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
    return watch(
        [&](MPI_Request* own) {
            return NEXT(PMPI_Iallreduce)(data, result, count, type, op, comm, own);
        },
        {Buffer(data, count, type, false), Buffer(result, count, type, true)}, request);
}

}  // extern "C"
