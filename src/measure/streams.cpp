#include "measure/streams.hpp"

#include "core/infinity.hpp"
#include "measure/method/arrivals.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace espalier::measure {

namespace {

constexpr int data_tag = 8000;
constexpr int credit_tag = 16000;

/// An answer that takes longer than this many times the fastest one, and some time that a busy
/// machine may need, was held up in a queue: no more messages are to be under way then.
constexpr double longest_answer = 2;
constexpr double patience_s = 8e-3;

/// One end of a stream: what it waits for.
class End {
public:
    virtual ~End() = default;
    /// Adds its requests at the end of `requests`, some of which may be null for now.
    virtual void begin(std::vector<MPI_Request>& requests) = 0;
    /// The request of that place, counted from its first, is completed at `now`; its requests may
    /// be posted anew.
    virtual void completed(std::size_t place, std::vector<MPI_Request>& requests, int bytes,
                           double now) = 0;
};

class Sender final : public End {
public:
    Sender(const Channel& channel, const RankStream& stream, int index, double end)
        : channel_(channel),
          stream_(stream),
          index_(index),
          end_(end),
          buffer_(stream.bytes),
          places_(stream.window) {}
    ~Sender() override {
        for (Place& place : places_) PMPI_Wait(&place.send, MPI_STATUS_IGNORE);
    }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void begin(std::vector<MPI_Request>& requests) override {
        first_ = requests.size();
        requests.resize(first_ + stream_.window, MPI_REQUEST_NULL);
        const double now = channel_.now();
        for (std::size_t p = 0; p < std::min(stream_.window, stream_.at_first); ++p)
            send(p, requests, now);
    }
    void completed(std::size_t place, std::vector<MPI_Request>& requests, int,
                   double now) override {
        places_[place].busy = false;
        --busy_;
        if (now >= end_) {
            if (!ended_) {
                // In the place of all that will not come any more.
                ended_ = true;
                for (Place& other : places_)
                    if (!other.busy) end(other);
            } else {
                end(places_[place]);
            }
            return;
        }
        const double took = now - places_[place].sent;
        least_ = std::min(least_, took);
        const bool queues = took > longest_answer * least_ + patience_s;
        if (queues && busy_ >= stream_.at_first) return;
        send(place, requests, now);
        if (queues || busy_ == places_.size()) return;
        for (std::size_t p = 0; p < places_.size(); ++p)
            if (!places_[p].busy) return send(p, requests, now);
    }

private:
    struct Place {
        MPI_Request send = MPI_REQUEST_NULL;
        double sent = 0;
        bool busy = false;
    };
    void send(std::size_t p, std::vector<MPI_Request>& requests, double now) {
        Place& place = places_[p];
        // What was answered has been sent, so that this does not wait.
        PMPI_Wait(&place.send, MPI_STATUS_IGNORE);
        PMPI_Irecv(nullptr, 0, MPI_BYTE, stream_.to, credit_tag + index_, channel_.comm(),
                   &requests[first_ + p]);
        PMPI_Isend(buffer_.data(), static_cast<int>(buffer_.size()), MPI_BYTE, stream_.to,
                   data_tag + index_, channel_.comm(), &place.send);
        place.sent = now;
        place.busy = true;
        ++busy_;
    }
    void end(Place& place) {
        PMPI_Wait(&place.send, MPI_STATUS_IGNORE);
        PMPI_Isend(nullptr, 0, MPI_BYTE, stream_.to, data_tag + index_, channel_.comm(),
                   &place.send);
    }

    const Channel& channel_;
    const RankStream& stream_;
    int index_;
    double end_;
    std::vector<char> buffer_;
    std::vector<Place> places_;
    std::size_t first_ = 0;
    std::size_t busy_ = 0;
    double least_ = infinity;
    bool ended_ = false;
};

class Receiver final : public End {
public:
    Receiver(const Channel& channel, const RankStream& stream, int index)
        : channel_(channel),
          stream_(stream),
          index_(index),
          buffer_(stream.bytes),
          credits_(stream.window, MPI_REQUEST_NULL) {}
    ~Receiver() override {
        PMPI_Waitall(static_cast<int>(credits_.size()), credits_.data(), MPI_STATUSES_IGNORE);
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    void begin(std::vector<MPI_Request>& requests) override {
        first_ = requests.size();
        requests.resize(first_ + stream_.window, MPI_REQUEST_NULL);
        for (std::size_t place = 0; place < stream_.window; ++place) expect(place, requests);
    }
    /// An empty message takes the place of one that will not come any more.
    void completed(std::size_t place, std::vector<MPI_Request>& requests, int bytes,
                   double now) override {
        if (bytes == 0) return;
        arrivals_.push_back({now, static_cast<std::uint64_t>(bytes)});
        expect(place, requests);
        PMPI_Wait(&credits_[place], MPI_STATUS_IGNORE);
        PMPI_Isend(nullptr, 0, MPI_BYTE, stream_.from, credit_tag + index_, channel_.comm(),
                   &credits_[place]);
    }
    [[nodiscard]] const std::vector<Arrival>& arrivals() const { return arrivals_; }

private:
    void expect(std::size_t place, std::vector<MPI_Request>& requests) {
        PMPI_Irecv(buffer_.data(), static_cast<int>(buffer_.size()), MPI_BYTE, stream_.from,
                   data_tag + index_, channel_.comm(), &requests[first_ + place]);
    }

    const Channel& channel_;
    const RankStream& stream_;
    int index_;
    std::size_t first_ = 0;
    std::vector<char> buffer_;  ///< what arrives means nothing, so that all may arrive here
    std::vector<MPI_Request> credits_;
    std::vector<Arrival> arrivals_;
};

}  // namespace

std::vector<double> run_streams(const Channel& channel, const std::vector<RankStream>& streams,
                                const StreamTimes& times) {
    const double began = channel.now();
    const double from = began + times.warm_up;
    const double to = from + times.span;
    std::vector<std::unique_ptr<End>> ends;
    std::vector<std::pair<std::size_t, const Receiver*>> receivers;
    for (std::size_t k = 0; k < streams.size(); ++k) {
        const auto index = static_cast<int>(k);
        if (streams[k].to == channel.rank()) {
            auto receiver = std::make_unique<Receiver>(channel, streams[k], index);
            receivers.emplace_back(k, receiver.get());
            ends.push_back(std::move(receiver));
        }
        if (streams[k].from == channel.rank())
            ends.push_back(std::make_unique<Sender>(channel, streams[k], index, to + times.settle));
    }
    struct Place {
        End* end;
        std::size_t place;
    };
    std::vector<MPI_Request> requests;
    std::vector<Place> places;
    for (const auto& end : ends) {
        const std::size_t first = requests.size();
        end->begin(requests);
        for (std::size_t r = first; r < requests.size(); ++r)
            places.push_back({end.get(), r - first});
    }
    while (!requests.empty()) {
        // Not several at a time: a simulator charges for every look at each of them.
        int which = MPI_UNDEFINED;
        MPI_Status status;
        PMPI_Waitany(static_cast<int>(requests.size()), requests.data(), &which, &status);
        if (which == MPI_UNDEFINED) break;
        int bytes = 0;
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        const Place& done = places[static_cast<std::size_t>(which)];
        done.end->completed(done.place, requests, bytes, channel.now());
    }
    std::vector<double> rates(streams.size(), 0);
    for (const auto& [k, receiver] : receivers) rates[k] = rate(receiver->arrivals(), from, to);
    return rates;
}

}  // namespace espalier::measure
