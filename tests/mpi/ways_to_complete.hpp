#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace espalier::test {

using Requests = std::vector<MPI_Request>;
/// Completes all requests of an array.
using Completion = std::function<void(Requests& requests)>;

inline void wait_for_all(Requests& requests) {
    std::vector<MPI_Status> statuses(requests.size());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
}

inline void test_some(Requests& requests) {
    const int all = static_cast<int>(requests.size());
    std::vector<int> places(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    for (int left = all; left > 0;) {
        int over = 0;
        MPI_Testsome(all, requests.data(), &over, places.data(), statuses.data());
        ASSERT_NE(over, MPI_UNDEFINED);
        left -= over;
    }
}

inline void wait_for_any(Requests& requests) {
    for (std::size_t left = requests.size(); left > 0; --left) {
        int place = MPI_UNDEFINED;
        MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &place, MPI_STATUS_IGNORE);
        ASSERT_NE(place, MPI_UNDEFINED);
    }
}

inline void look_then_test(Requests& requests) {
    for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
        int flag = 0;
        while (flag == 0) MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
        MPI_Test(&*request, &flag, MPI_STATUS_IGNORE);
        EXPECT_NE(flag, 0);
    }
}

inline void for_each_way_to_complete(const std::function<void(const Completion&)>& check) {
    for (const Completion complete : {wait_for_all, test_some, wait_for_any, look_then_test})
        check(complete);
}

}  // namespace espalier::test
