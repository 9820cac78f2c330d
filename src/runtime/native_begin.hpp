#pragma once

#include <mpi.h>

#include <functional>

namespace espalier::runtime {

/// The types of a call's two sides. Of a call that begins later they are ours, since the program
/// may free its own.
struct Types {
    MPI_Datatype input = MPI_DATATYPE_NULL;
    MPI_Datatype output = MPI_DATATYPE_NULL;
    /// Of each block, where they differ.
    const MPI_Datatype* inputs = nullptr;
    const MPI_Datatype* outputs = nullptr;
};

/// A call that makes a persistent request, to be begun again and again, as MPI does it.
struct Initialization {
    const char* name;  ///< what a C program calls it
    std::function<int()> native;
};

/// MPI's own nonblocking call with the program's arguments; of one that is to be persistent, its
/// initialization.
class NativeBegin {
public:
    /// `own(types, comm, request)` makes the call, and has to outlive this, but not what keep()
    /// returns; so has `persistent`. `name` is what a C program calls it.
    template <typename Own>
    NativeBegin(const char* name, const Own& own, const Types& types, MPI_Comm comm,
                MPI_Request* request, const Initialization* persistent)
        : own_(&own),
          begin_([](const void* made, const Types& of, MPI_Comm on, MPI_Request* as) {
              return (*static_cast<const Own*>(made))(of, on, as);
          }),
          keep_([](const void* made) { return Kept(*static_cast<const Own*>(made)); }),
          name_(name),
          types_(types),
          comm_(comm),
          request_(request),
          persistent_(persistent) {}

    using Kept = std::function<int(const Types& types, MPI_Comm comm, MPI_Request* request)>;

    /// As the program made it.
    int operator()() const { return is_persistent() ? persistent_->native() : on(comm_); }
    [[nodiscard]] bool is_persistent() const { return persistent_ != nullptr; }
    /// The same on another communicator of the same ranks.
    [[nodiscard]] int on(MPI_Comm comm) const { return begin_(own_, types_, comm, request_); }
    /// To be made later.
    [[nodiscard]] Kept keep() const { return keep_(own_); }
    [[nodiscard]] const char* name() const { return is_persistent() ? persistent_->name : name_; }
    [[nodiscard]] const Types& types() const { return types_; }
    [[nodiscard]] MPI_Request* request() const { return request_; }

private:
    const void* own_;
    int (*begin_)(const void*, const Types&, MPI_Comm, MPI_Request*);
    Kept (*keep_)(const void*);
    const char* name_;
    Types types_;
    MPI_Comm comm_;
    MPI_Request* request_;
    const Initialization* persistent_;
};

}  // namespace espalier::runtime
