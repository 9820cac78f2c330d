#pragma once

#include "runtime/failure.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace espalier::runtime {

/// Messages of one kind between ranks of MPI_COMM_WORLD while MPI_Init lasts: the program has sent
/// none yet, and no communicator of ours can be made before every rank is known to take part.
/// Whatever is still on its way when they are destroyed stays so, in memory that is never freed: a
/// peer that answers late, or never, does no harm to what the program receives.
template <typename Message>
class Letters {
    static_assert(std::is_trivially_copyable_v<Message>);

public:
    /// At most `most` are expected and sent, for which no more memory is needed then.
    Letters(int tag, std::size_t most) : tag_(tag), held_(std::make_unique<Held>()) {
        held_->messages.resize(most);
        held_->requests.resize(most, MPI_REQUEST_NULL);
        held_->completed.resize(most);
    }
    Letters(const Letters&) = delete;
    Letters& operator=(const Letters&) = delete;
    ~Letters() {
        int done = 0;
        const int code = PMPI_Testall(static_cast<int>(held_->requests.size()),
                                      held_->requests.data(), &done, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS || done == 0) (void)held_.release();
    }

    void expect(int sender) {
        const std::size_t index = count_++;
        check(PMPI_Irecv(&held_->messages[index], sizeof(Message), MPI_BYTE, sender, tag_,
                         MPI_COMM_WORLD, &held_->requests[index]));
    }
    /// What fails is tried again: others wait for it.
    void send(int receiver, const Message& message) {
        const std::size_t index = count_++;
        held_->messages[index] = message;
        constexpr int tries = 3;
        int code = MPI_ERR_OTHER;
        for (int attempt = 0; attempt < tries && code != MPI_SUCCESS; ++attempt)
            code = PMPI_Isend(&held_->messages[index], sizeof(Message), MPI_BYTE, receiver, tag_,
                              MPI_COMM_WORLD, &held_->requests[index]);
        check(code);
    }

    /// Looks for what has come, or left, since.
    void look() {
        int count = 0;
        check(PMPI_Testsome(static_cast<int>(count_), held_->requests.data(), &count,
                            held_->completed.data(), MPI_STATUSES_IGNORE));
    }
    /// Whether the message, counted in the order in which they were expected, has come.
    [[nodiscard]] bool has(std::size_t index) const {
        return index < count_ && held_->requests[index] == MPI_REQUEST_NULL;
    }
    [[nodiscard]] bool has_all() const {
        return std::ranges::all_of(held_->requests,
                                   [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
    }
    [[nodiscard]] const Message& operator[](std::size_t index) const {
        return held_->messages[index];
    }
    /// How many were expected and sent.
    [[nodiscard]] std::size_t size() const { return count_; }

private:
    struct Held {
        std::vector<Message> messages;
        std::vector<MPI_Request> requests;
        std::vector<int> completed;
    };

    int tag_;
    std::size_t count_ = 0;
    std::unique_ptr<Held> held_;
};

}  // namespace espalier::runtime
