#include "measure/streams.hpp"

#include "core/wire.hpp"
#include "measure/method/arrivals.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace espalier::measure {

namespace {

constexpr int data_tag = 8000;
constexpr int credit_tag = 16000;

/// An answer that takes longer than this many round trips, and some time that a busy machine may
/// need, was held up in a queue: no more messages are to be under way then, and fewer where it
/// takes longer still.
constexpr double long_answer = 1.25;
constexpr double longest_answer = 2;
constexpr double patience_s = 8e-3;

/// The messages that a receiver expects at the same time: while it deals with one, the next may
/// come in. More of them would make looks slow, since libraries poll once for every few requests.
constexpr std::size_t expected_at_once = 2;

/// How many streams each two hosts have had in these rounds: both know it, and it tells them apart.
using StreamCounts = std::map<std::pair<std::size_t, std::size_t>, int>;

/// One end of a stream: what it waits for.
class End {
public:
    virtual ~End() = default;
    /// Adds its requests at the end of `requests`.
    virtual void begin(std::vector<MPI_Request>& requests) = 0;
    /// The request of that place, counted from its first, is completed at `now`; its requests may
    /// be posted anew.
    virtual void completed(std::size_t place, std::vector<MPI_Request>& requests, int bytes,
                           double now) = 0;
};

class Sender final : public End {
public:
    Sender(const Channel& channel, const Stream& stream, int receiver, int index, double end)
        : channel_(channel),
          stream_(stream),
          receiver_(receiver),
          index_(index),
          end_(end),
          buffer_(stream.bytes) {}
    ~Sender() override { channel_.wait_all(sends_); }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void begin(std::vector<MPI_Request>& requests) override {
        place_ = requests.size();
        requests.push_back(MPI_REQUEST_NULL);
        const double now = channel_.now();
        while (sent_.size() < std::min(stream_.window, stream_.at_first)) send(now);
        expect(requests);
    }
    /// Answers come in the order of what they answer.
    void completed(std::size_t, std::vector<MPI_Request>& requests, int, double now) override {
        const double took = now - sent_.front();
        sent_.pop_front();
        if (now < end_) {
            const auto came_within = [&](double round_trips) {
                return took <= round_trips * stream_.round_trip + patience_s;
            };
            if (came_within(longest_answer) || sent_.size() < stream_.at_first) send(now);
            if (came_within(long_answer) && sent_.size() < stream_.window) send(now);
        }
        if (!sent_.empty()) return expect(requests);
        // In place of all that is still expected.
        for (std::size_t k = 0; k < expected_at_once; ++k) post(0);
    }

private:
    void expect(std::vector<MPI_Request>& requests) const {
        channel_.check(PMPI_Irecv(nullptr, 0, MPI_BYTE, receiver_, credit_tag + index_,
                                  channel_.comm(), &requests[place_]));
    }
    void send(double now) {
        post(stream_.bytes);
        sent_.push_back(now);
    }
    void post(std::uint64_t bytes) {
        channel_.check(PMPI_Isend(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, receiver_,
                                  data_tag + index_, channel_.comm(),
                                  &sends_.emplace_back(MPI_REQUEST_NULL)));
    }

    const Channel& channel_;
    const Stream& stream_;
    int receiver_;
    int index_;
    double end_;
    std::vector<char> buffer_;
    std::size_t place_ = 0;
    std::deque<double> sent_;         ///< when, what was not answered
    std::vector<MPI_Request> sends_;  ///< nobody looks at them: answers tell more
};

class Receiver final : public End {
public:
    Receiver(const Channel& channel, const Stream& stream, int sender, int index)
        : channel_(channel), sender_(sender), index_(index), buffer_(stream.bytes) {}
    ~Receiver() override { channel_.wait_all(credits_); }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    void begin(std::vector<MPI_Request>& requests) override {
        first_ = requests.size();
        requests.resize(first_ + expected_at_once, MPI_REQUEST_NULL);
        for (std::size_t place = 0; place < expected_at_once; ++place) expect(place, requests);
    }
    /// An empty message takes the place of one that will not come any more.
    void completed(std::size_t place, std::vector<MPI_Request>& requests, int bytes,
                   double now) override {
        if (bytes == 0) return;
        arrivals_.push_back({now, static_cast<std::uint64_t>(bytes)});
        expect(place, requests);
        channel_.check(PMPI_Isend(nullptr, 0, MPI_BYTE, sender_, credit_tag + index_,
                                  channel_.comm(), &credits_.emplace_back(MPI_REQUEST_NULL)));
    }
    [[nodiscard]] const std::vector<Arrival>& arrivals() const { return arrivals_; }

private:
    void expect(std::size_t place, std::vector<MPI_Request>& requests) {
        channel_.check(PMPI_Irecv(buffer_.data(), static_cast<int>(buffer_.size()), MPI_BYTE,
                                  sender_, data_tag + index_, channel_.comm(),
                                  &requests[first_ + place]));
    }

    const Channel& channel_;
    int sender_;
    int index_;
    std::size_t first_ = 0;
    std::vector<char> buffer_;  ///< what arrives means nothing, so that all may arrive here
    std::vector<MPI_Request> credits_;
    std::vector<Arrival> arrivals_;
};

/// What this rank does in a round that begins now.
class Part {
public:
    /// `before`: the streams of rounds before it.
    Part(const Channel& channel, const JobMap& job, const StreamRound& round, StreamCounts& before)
        : channel_(channel), round_(round), from_(channel.now() + round.warm_up) {
        for (const Stream& stream : round.streams) {
            const int sender = job.first_rank(stream.ends.from);
            const int receiver = job.first_rank(stream.ends.to);
            const int index = before[{stream.ends.from, stream.ends.to}]++;
            if (receiver == channel.rank()) {
                auto end = std::make_unique<Receiver>(channel, stream, sender, index);
                receivers_.push_back(end.get());
                ends_.push_back(std::move(end));
            }
            if (sender == channel.rank())
                ends_.push_back(std::make_unique<Sender>(channel, stream, receiver, index,
                                                         edge(round.windows)));
        }
        for (const auto& end : ends_) {
            const std::size_t place = requests_.size();
            end->begin(requests_);
            for (std::size_t r = place; r < requests_.size(); ++r)
                places_.push_back({end.get(), r - place});
        }
    }

    /// Does what the messages that are there ask for. Returns whether there were any, or this part
    /// has ended.
    bool progress() {
        const auto completed = channel_.look(requests_);
        ended_ = !completed;
        if (ended_) return true;
        for (const Channel::Completed& done : *completed) {
            int bytes = 0;
            PMPI_Get_count(&done.status, MPI_BYTE, &bytes);
            const Place& place = places_[done.place];
            place.end->completed(place.place, requests_, bytes, channel_.now());
        }
        return !completed->empty();
    }
    [[nodiscard]] bool ended() const { return ended_; }

    /// Of each stream that ends here, in their order, the bytes per second that arrived in each
    /// window.
    [[nodiscard]] RoundWindows rates() const {
        RoundWindows rates;
        for (const Receiver* receiver : receivers_) {
            auto& own = rates.emplace_back();
            for (std::size_t w = 0; w < round_.windows; ++w)
                own.push_back(rate(receiver->arrivals(), edge(w), edge(w + 1)));
        }
        return rates;
    }

private:
    struct Place {
        End* end;
        std::size_t place;
    };
    [[nodiscard]] double edge(std::size_t window) const {
        return from_ +
               round_.span * static_cast<double>(window) / static_cast<double>(round_.windows);
    }

    const Channel& channel_;
    const StreamRound& round_;
    double from_;
    std::vector<std::unique_ptr<End>> ends_;
    std::vector<const Receiver*> receivers_;
    std::vector<MPI_Request> requests_;
    std::vector<Place> places_;
    bool ended_ = false;
};

}  // namespace

std::string run_rounds(const Channel& channel, const JobMap& job,
                       const std::vector<StreamRound>& rounds) {
    const double ordered = channel.now();
    std::vector<std::unique_ptr<Part>> parts;
    std::vector<Part*> under_way;
    StreamCounts counts;
    Idleness idleness(channel);
    for (;;) {
        const bool all_begun = parts.size() == rounds.size();
        if (!all_begun) {
            const StreamRound& next = rounds[parts.size()];
            const double begins = ordered + next.begins;
            if (under_way.empty()) channel.pause_until(begins);
            if (channel.now() >= begins) {
                parts.push_back(std::make_unique<Part>(channel, job, next, counts));
                under_way.push_back(parts.back().get());
            }
        } else if (under_way.empty()) {
            break;
        }
        bool busy = false;
        for (Part* part : under_way) busy = part->progress() || busy;
        std::erase_if(under_way, [](const Part* part) { return part->ended(); });
        if (busy)
            idleness = Idleness(channel);
        else
            idleness.rest();
    }
    WireWriter to;
    for (const auto& part : parts)
        for (const std::vector<double>& rates : part->rates()) to(rates);
    return to.bytes();
}

std::vector<RoundWindows> read_rounds(const JobMap& job, const std::vector<StreamRound>& rounds,
                                      const std::vector<std::string>& told) {
    std::vector<WireReader> readers(told.begin(), told.end());
    std::vector<RoundWindows> found;
    for (const StreamRound& round : rounds) {
        RoundWindows& rates = found.emplace_back();
        for (const Stream& stream : round.streams) {
            const auto receiver = static_cast<std::size_t>(job.first_rank(stream.ends.to));
            rates.push_back(readers[receiver].take<std::vector<double>>());
        }
    }
    return found;
}

}  // namespace espalier::measure
