#pragma once

#include <mpi.h>

#include <functional>

namespace espalier::runtime {

/// The types of a call's two sides. Of a call that begins later they are ours, since the program
/// may free its own.
struct Types {
    MPI_Datatype input = MPI_DATATYPE_NULL;
    MPI_Datatype output = MPI_DATATYPE_NULL;
};

/// MPI's own nonblocking call with the program's arguments.
class NativeBegin {
public:
    /// `own(types, comm, request)` makes the call, and has to outlive this, but not what keep()
    /// returns. `name` is what a C program calls it.
    template <typename Own>
    NativeBegin(const char* name, const Own& own, const Types& types, MPI_Comm comm,
                MPI_Request* request)
        : own_(&own),
          begin_([](const void* made, const Types& of, MPI_Comm on, MPI_Request* as) {
              return (*static_cast<const Own*>(made))(of, on, as);
          }),
          keep_([](const void* made) { return Kept(*static_cast<const Own*>(made)); }),
          name_(name),
          types_(types),
          comm_(comm),
          request_(request) {}

    using Kept = std::function<int(const Types& types, MPI_Comm comm, MPI_Request* request)>;

    /// As the program made it.
    int operator()() const { return on(comm_); }
    /// The same on another communicator of the same ranks.
    [[nodiscard]] int on(MPI_Comm comm) const { return begin_(own_, types_, comm, request_); }
    /// To be made later.
    [[nodiscard]] Kept keep() const { return keep_(own_); }
    [[nodiscard]] const char* name() const { return name_; }
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
};

}  // namespace espalier::runtime
