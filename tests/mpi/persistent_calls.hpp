#pragma once

#include "mpi/ranks.hpp"
#include "nonblocking_calls.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

// Each persistent collective on data that change between its starts, and what they should give.

namespace espalier::test {

/// A persistent call with what its next start should give.
class Ready {
public:
    Ready(const Nonblocking& call, MPI_Comm comm, int count, int root)
        : call_(call), comm_(comm), data_(comm, count, root, 0), expected_(data_) {
        EXPECT_EQ(call.initialize(data_, comm, &request), MPI_SUCCESS);
        EXPECT_NE(request, MPI_REQUEST_NULL);
    }
    ~Ready() {
        EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
    }
    Ready(const Ready&) = delete;
    Ready& operator=(const Ready&) = delete;

    /// Other contents, in the same place. Collective.
    void fill(std::uint64_t seed) {
        const Data other(comm_, data_.count, data_.root, seed);
        std::ranges::copy(other.in, data_.in.begin());
        std::ranges::copy(other.out, data_.out.begin());
        expected_ = data_;
        call_.past(expected_, comm_);
    }
    void check() const {
        EXPECT_TRUE(data_ == expected_) << call_.name << " " << data_.count << " " << data_.root;
    }
    [[nodiscard]] const char* name() const { return call_.name; }

    MPI_Request request = MPI_REQUEST_NULL;

private:
    const Nonblocking& call_;
    MPI_Comm comm_;
    Data data_;
    Data expected_;
};

/// One of each kind.
inline std::vector<std::unique_ptr<Ready>> one_of_each(MPI_Comm comm, int count) {
    std::vector<std::unique_ptr<Ready>> all;
    for (const Nonblocking& call : nonblocking_calls)
        all.push_back(std::make_unique<Ready>(call, comm, count, size_of(comm) / 2));
    return all;
}

}  // namespace espalier::test
