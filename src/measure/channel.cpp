#include "measure/channel.hpp"

#include "core/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace espalier::measure {

namespace {

constexpr int head_tag = 1;
constexpr int rest_tag = 2;
/// The bytes of content that travel in one message with its length; few contents are longer.
constexpr std::size_t inline_bytes = 4096;

struct Head {
    std::size_t length = 0;
    char bytes[inline_bytes] = {};

    [[nodiscard]] std::size_t carried() const { return std::min(length, inline_bytes); }
};

[[maybe_unused]] void sleep_for(double seconds) {
    timespec time{};
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
    nanosleep(&time, nullptr);
}

}  // namespace

Channel::Channel(MPI_Comm parent, Watch watch, bool is_own)
    : watch_(std::move(watch)), is_own_(is_own) {
    if (is_own) {
        comm_ = parent;
    } else if (watch_) {
        MPI_Request made = MPI_REQUEST_NULL;
        check(PMPI_Comm_idup(parent, &comm_, &made));
        wait_idly(made);
    } else {
        check(PMPI_Comm_dup(parent, &comm_));
    }
    check(PMPI_Comm_rank(comm_, &rank_));
    check(PMPI_Comm_size(comm_, &size_));
    std::vector<int> all(static_cast<std::size_t>(size_));
    std::iota(all.begin(), all.end(), 0);
    speak_by({all});
}

Channel::~Channel() {
    if (!is_own_) PMPI_Comm_free(&comm_);
}

void Channel::send(const std::vector<const std::string*>& parts,
                   const std::vector<int>& receivers) const {
    std::vector<std::string> heads;
    std::vector<MPI_Request> requests;
    for (const std::string* part : parts) {
        const std::size_t carried = std::min(part->size(), inline_bytes);
        const std::size_t length = part->size();
        heads.emplace_back(reinterpret_cast<const char*>(&length), sizeof length);
        heads.back().append(*part, 0, carried);
    }
    const auto post = [&](const char* bytes, std::size_t size, int receiver, int tag) {
        check(PMPI_Isend(bytes, static_cast<int>(size), MPI_BYTE, receiver, tag, comm_,
                         &requests.emplace_back(MPI_REQUEST_NULL)));
    };
    for (std::size_t k = 0; k < parts.size(); ++k) {
        post(heads[k].data(), heads[k].size(), receivers[k], head_tag);
        if (parts[k]->size() > inline_bytes)
            post(parts[k]->data() + inline_bytes, parts[k]->size() - inline_bytes, receivers[k],
                 rest_tag);
    }
    for (MPI_Request& request : requests) wait_idly(request);
}

void Channel::send(const std::string& bytes, const std::vector<int>& receivers) const {
    send(std::vector<const std::string*>(receivers.size(), &bytes), receivers);
}

std::vector<std::string> Channel::receive(const std::vector<int>& senders) const {
    std::vector<Head> heads(senders.size());
    std::vector<std::string> received(senders.size());
    std::vector<MPI_Request> requests(senders.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < senders.size(); ++i)
        check(PMPI_Irecv(&heads[i], static_cast<int>(sizeof(Head)), MPI_BYTE, senders[i], head_tag,
                         comm_, &requests[i]));
    for (MPI_Request& request : requests) wait_idly(request);
    requests.clear();
    for (std::size_t i = 0; i < senders.size(); ++i) {
        const std::size_t carried = heads[i].carried();
        received[i].assign(heads[i].bytes, carried);
        received[i].resize(heads[i].length);
        if (heads[i].length > carried)
            check(PMPI_Irecv(received[i].data() + carried,
                             static_cast<int>(heads[i].length - carried), MPI_BYTE, senders[i],
                             rest_tag, comm_, &requests.emplace_back(MPI_REQUEST_NULL)));
    }
    for (MPI_Request& request : requests) wait_idly(request);
    return received;
}

std::vector<std::string> Channel::gather(const std::string& own) const {
    std::vector<std::string> all{own};
    for (std::string& received : receive(tree_.children)) {
        const std::string bytes = std::move(received);
        WireReader from(bytes);
        while (!from.done()) all.push_back(from.take<std::string>());
    }
    if (rank_ != 0) {
        WireWriter to;
        for (const std::string& part : all) to(part);
        send(to.bytes(), {tree_.parent});
        return {};
    }
    std::vector<std::string> by_rank(all.size());
    for (std::size_t k = 0; k < all.size(); ++k)
        by_rank[static_cast<std::size_t>(tree_.ranks[k])] = std::move(all[k]);
    return by_rank;
}

std::string Channel::broadcast(const std::string& bytes) const {
    std::string told = rank_ == 0 ? bytes : receive({tree_.parent}).front();
    send(told, tree_.children);
    return told;
}

std::string Channel::scatter(std::vector<std::string> parts) const {
    std::vector<std::string> own;  // by tree_.ranks
    if (rank_ == 0) {
        for (const int rank : tree_.ranks)
            own.push_back(std::move(parts[static_cast<std::size_t>(rank)]));
    } else {
        const std::string told = receive({tree_.parent}).front();
        WireReader from(told);
        while (!from.done()) own.push_back(from.take<std::string>());
    }
    // All at the same time: a long part waits for its receiver. Each goes when it is written, since
    // all of them are much.
    std::vector<WireWriter> to(tree_.children.size());
    std::vector<const std::string*> by_child;
    std::size_t next = 1;
    for (std::size_t child = 0; child < to.size(); ++child) {
        for (std::size_t k = 0; k < tree_.sizes[child]; ++k)
            to[child](std::exchange(own[next++], {}));
        by_child.push_back(&to[child].bytes());
    }
    send(by_child, tree_.children);
    return std::move(own.front());
}

void Channel::speak_by(const std::vector<std::vector<int>>& groups) {
    tree_ = message_tree(groups, rank_);
}

void Channel::check(int code) const {
    if (code == MPI_SUCCESS) return;
    if (watch_) watch_(code);
    throw std::runtime_error("an MPI call failed while the network was measured");
}

void Channel::send_now(const void* data, int count, MPI_Datatype type, int receiver,
                       int tag) const {
    MPI_Request request = MPI_REQUEST_NULL;
    check(PMPI_Isend(data, count, type, receiver, tag, comm_, &request));
    wait(request);
}

void Channel::receive_now(void* data, int count, MPI_Datatype type, int sender, int tag) const {
    MPI_Request request = MPI_REQUEST_NULL;
    check(PMPI_Irecv(data, count, type, sender, tag, comm_, &request));
    wait(request);
}

#ifdef ESPALIER_MPI_SMPI

// In the simulator waiting costs nothing, and charges time for each test.
void Channel::wait_idly(MPI_Request& request, MPI_Status* status) const {
    check(PMPI_Wait(&request, status));
}

void Channel::wait(MPI_Request& request) const { check(PMPI_Wait(&request, MPI_STATUS_IGNORE)); }

void Channel::wait_all(std::span<MPI_Request> requests) const {
    check(PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

std::optional<std::size_t> Channel::wait_any(std::span<MPI_Request> requests) const {
    const auto completed = look(requests);
    if (!completed) return std::nullopt;
    return completed->front().place;
}

std::optional<std::vector<Channel::Completed>> Channel::look(
    std::span<MPI_Request> requests) const {
    int which = MPI_UNDEFINED;
    MPI_Status status;
    check(PMPI_Waitany(static_cast<int>(requests.size()), requests.data(), &which, &status));
    if (which == MPI_UNDEFINED) return std::nullopt;
    return std::vector{Completed{static_cast<std::size_t>(which), status}};
}

void Channel::pause_until(double time) const {
    const double left = time - now();
    if (left > 0) sleep_for(left);
}

void Idleness::rest() {}

#else

/// The longest that a rank that waits for others sleeps before it looks again.
constexpr double longest_nap_s = 1e-3;

void Channel::wait_idly(MPI_Request& request, MPI_Status* status) const {
    Idleness idleness(*this);
    for (;;) {
        int done = 0;
        check(PMPI_Test(&request, &done, status));
        if (done != 0) return;
        idleness.rest();
    }
}

void Idleness::rest() {
    constexpr double spin_s = 50e-6;
    if (channel_->now() - since_ < spin_s) return;
    sleep_for(nap_s_);
    nap_s_ = std::min(nap_s_ * 1.5, longest_nap_s);
    channel_->look_round();
}

/// Calls `test` until it says that it is done.
template <typename Test>
void Channel::wait_busily(const Test& test) const {
    constexpr int between_looks = 64;
    for (int tests = 1;; ++tests) {
        int done = 0;
        check(test(done));
        if (done != 0) return;
        if (tests % between_looks == 0) look_round();
    }
}

/// Calls the watch, where it was not called lately.
void Channel::look_round() const {
    constexpr double interval_s = 10e-3;
    if (!watch_ || now() - watched_ < interval_s) return;
    watched_ = now();
    watch_(MPI_SUCCESS);
}

void Channel::wait(MPI_Request& request) const {
    wait_busily([&](int& done) { return PMPI_Test(&request, &done, MPI_STATUS_IGNORE); });
}

void Channel::wait_all(std::span<MPI_Request> requests) const {
    wait_busily([&](int& done) {
        return PMPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                            MPI_STATUSES_IGNORE);
    });
}

std::optional<std::vector<Channel::Completed>> Channel::look(
    std::span<MPI_Request> requests) const {
    seen_.resize(requests.size());
    statuses_.resize(requests.size());
    int count = 0;
    check(PMPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, seen_.data(),
                        statuses_.data()));
    if (count == MPI_UNDEFINED) return std::nullopt;
    std::vector<Completed> completed;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
        completed.push_back({static_cast<std::size_t>(seen_[k]), statuses_[k]});
    return completed;
}

std::optional<std::size_t> Channel::wait_any(std::span<MPI_Request> requests) const {
    int which = MPI_UNDEFINED;
    wait_busily([&](int& done) {
        return PMPI_Testany(static_cast<int>(requests.size()), requests.data(), &which, &done,
                            MPI_STATUS_IGNORE);
    });
    if (which == MPI_UNDEFINED) return std::nullopt;
    return static_cast<std::size_t>(which);
}

void Channel::pause_until(double time) const {
    for (double left = time - now(); left > 0; left = time - now()) {
        int unused = 0;
        check(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &unused, MPI_STATUS_IGNORE));
        look_round();
        if (left > 2 * longest_nap_s) sleep_for(longest_nap_s);
    }
}

#endif

}  // namespace espalier::measure
