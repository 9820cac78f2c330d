#include "measure/streams.hpp"

#include "core/wire.hpp"
#include "measure/method/arrivals.hpp"
#include "measure/method/stream_tags.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <utility>

namespace espalier::measure {

namespace {

/// An answer that takes longer than this many round trips, and some time that a busy machine may
/// need, was held up in a queue: no more messages are to be under way then, and fewer where it
/// takes longer still.
constexpr double long_answer = 1.25;
constexpr double longest_answer = 2;
constexpr double patience_s = 8e-3;

/// How many streams each two hosts have had so far: both know it, and it tells them apart.
using StreamCounts = std::map<std::pair<std::size_t, std::size_t>, int>;

/// What is sent and what arrives means nothing, so that all streams of a rank have the same place
/// for both.
using Room = std::vector<char>;

Room room_for(const std::vector<StreamRound>& rounds, const JobMap& job, int rank) {
    std::uint64_t bytes = 0;
    for (const StreamRound& round : rounds)
        for (const Stream& stream : round.streams)
            if (job.first_rank(stream.ends.from) == rank || job.first_rank(stream.ends.to) == rank)
                bytes = std::max(bytes, stream.bytes);
    return Room(bytes);
}

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
    Sender(const Channel& channel, const Room& room, const Stream& stream, int receiver, int index,
           double end)
        : channel_(channel),
          room_(room),
          stream_(stream),
          receiver_(receiver),
          tags_(index),
          end_(end),
          bytes_(stream.first) {}
    ~Sender() override { channel_.wait_all(sends_); }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void begin(std::vector<MPI_Request>& requests) override {
        first_ = requests.size();
        requests.resize(first_ + stream_.expected, MPI_REQUEST_NULL);
        for (std::size_t place = 0; place < stream_.expected; ++place) free_.push_back(place);
        const double now = channel_.now();
        while (sent_.size() < std::min(stream_.window, stream_.at_first)) send(now);
        expect(requests);
    }
    /// Answers come in the order of what they answer.
    void completed(std::size_t place, std::vector<MPI_Request>& requests, int,
                   double now) override {
        free_.push_back(place);
        const double took = now - sent_.front();
        sent_.pop_front();
        // What is sent now takes as long as what this answers: not to be in the way of what
        // follows, it is sent only if it arrives soon after the end. Where looks wait, all waits
        // for it.
        const double late = Channel::looks_wait ? 0 : took - stream_.round_trip;
        if (now + late < end_) {
            const auto came_within = [&](double round_trips) {
                return took <= round_trips * stream_.round_trip + patience_s;
            };
            if (came_within(long_answer))
                bytes_ += bytes_ / stream_.window;
            else if (!came_within(longest_answer))
                bytes_ -= bytes_ / stream_.window;
            bytes_ = std::clamp(bytes_, stream_.first, stream_.bytes);
            if (came_within(longest_answer) || sent_.size() < stream_.at_first) send(now);
            if (came_within(long_answer) && sent_.size() < stream_.window) send(now);
        }
        expect(requests);
        if (!sent_.empty()) return;
        // In place of all that is still expected.
        for (std::size_t k = 0; k < stream_.expected; ++k) post(0);
    }

private:
    /// An answer to each of the messages under way, as far as there are places.
    void expect(std::vector<MPI_Request>& requests) {
        while (!free_.empty() && stream_.expected - free_.size() < sent_.size()) {
            channel_.check(PMPI_Irecv(nullptr, 0, MPI_BYTE, receiver_, tags_.credit,
                                      channel_.comm(), &requests[first_ + free_.back()]));
            free_.pop_back();
        }
    }
    void send(double now) {
        post(bytes_);
        sent_.push_back(now);
    }
    void post(std::uint64_t bytes) {
        channel_.check(PMPI_Isend(room_.data(), static_cast<int>(bytes), MPI_BYTE, receiver_,
                                  tags_.data, channel_.comm(),
                                  &sends_.emplace_back(MPI_REQUEST_NULL)));
    }

    const Channel& channel_;
    const Room& room_;
    const Stream& stream_;
    int receiver_;
    StreamTags tags_;
    double end_;
    std::uint64_t bytes_;  ///< of the next message
    std::size_t first_ = 0;
    std::vector<std::size_t> free_;   ///< places
    std::deque<double> sent_;         ///< when, what was not answered
    std::vector<MPI_Request> sends_;  ///< nobody looks at them: answers tell more
};

class Receiver final : public End {
public:
    Receiver(const Channel& channel, Room& room, const Stream& stream, int sender, int index)
        : channel_(channel), room_(room), stream_(stream), sender_(sender), tags_(index) {}
    ~Receiver() override { channel_.wait_all(credits_); }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    void begin(std::vector<MPI_Request>& requests) override {
        first_ = requests.size();
        requests.resize(first_ + stream_.expected, MPI_REQUEST_NULL);
        for (std::size_t place = 0; place < stream_.expected; ++place) expect(place, requests);
    }
    /// An empty message takes the place of one that will not come any more.
    void completed(std::size_t place, std::vector<MPI_Request>& requests, int bytes,
                   double now) override {
        if (bytes == 0) return;
        arrivals_.push_back({now, static_cast<std::uint64_t>(bytes)});
        expect(place, requests);
        channel_.check(PMPI_Isend(nullptr, 0, MPI_BYTE, sender_, tags_.credit, channel_.comm(),
                                  &credits_.emplace_back(MPI_REQUEST_NULL)));
    }
    [[nodiscard]] const std::vector<Arrival>& arrivals() const { return arrivals_; }

private:
    void expect(std::size_t place, std::vector<MPI_Request>& requests) {
        channel_.check(PMPI_Irecv(room_.data(), static_cast<int>(stream_.bytes), MPI_BYTE, sender_,
                                  tags_.data, channel_.comm(), &requests[first_ + place]));
    }

    const Channel& channel_;
    Room& room_;
    const Stream& stream_;
    int sender_;
    StreamTags tags_;
    std::size_t first_ = 0;
    std::vector<MPI_Request> credits_;
    std::vector<Arrival> arrivals_;
};

/// What this rank waits for, in all rounds.
struct Waiting {
    struct Place {
        End* end;
        std::size_t first;  ///< of its requests
    };
    std::vector<MPI_Request> requests;
    std::vector<Place> places;  ///< of the requests

    void begin(End& end) {
        const std::size_t first = requests.size();
        end.begin(requests);
        places.resize(requests.size(), {&end, first});
    }
    [[nodiscard]] bool is_over() const {
        return std::ranges::all_of(requests,
                                   [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
    }
};

/// What this rank does in a round that begins now.
class Part {
public:
    /// `before`: the streams of rounds before it, to which this one's are added.
    Part(const Channel& channel, const JobMap& job, const StreamRound& round, Room& room,
         TrainPort& trains, StreamCounts& before, Waiting& waiting)
        : round_(round), trains_(trains), from_(channel.now() + round.warm_up) {
        for (const Stream& stream : round.streams) {
            const int sender = job.first_rank(stream.ends.from);
            const int receiver = job.first_rank(stream.ends.to);
            const int index = before[{stream.ends.from, stream.ends.to}]++;
            if (round.trains) {
                const auto number = static_cast<std::uint32_t>(index);
                if (receiver == channel.rank()) expected_.emplace_back(stream.ends.from, number);
                if (sender == channel.rank()) trains.depart(stream.ends.to, number);
                continue;
            }
            if (receiver == channel.rank()) {
                auto end = std::make_unique<Receiver>(channel, room, stream, sender, index);
                receivers_.push_back(end.get());
                ends_.push_back(std::move(end));
            }
            if (sender == channel.rank())
                ends_.push_back(std::make_unique<Sender>(channel, room, stream, receiver, index,
                                                         edge(round.windows)));
        }
        for (const auto& end : ends_) waiting.begin(*end);
    }

    /// When all that counts has arrived.
    [[nodiscard]] double end() const { return edge(round_.windows); }
    /// Of each stream that ends here, in their order, the bytes per second that arrived in each
    /// window.
    [[nodiscard]] RoundWindows rates() const {
        RoundWindows rates;
        for (const auto& [from, number] : expected_) rates.push_back({trains_.rate(from, number)});
        for (const Receiver* receiver : receivers_) {
            auto& own = rates.emplace_back();
            for (std::size_t w = 0; w < round_.windows; ++w)
                own.push_back(rate(receiver->arrivals(), edge(w), edge(w + 1)));
        }
        return rates;
    }

private:
    [[nodiscard]] double edge(std::size_t window) const {
        return from_ +
               round_.span * static_cast<double>(window) / static_cast<double>(round_.windows);
    }

    const StreamRound& round_;
    const TrainPort& trains_;
    double from_;
    std::vector<std::pair<std::size_t, std::uint32_t>> expected_;  ///< trains: hosts, and numbers
    std::vector<std::unique_ptr<End>> ends_;
    std::vector<const Receiver*> receivers_;
};

/// Rounds that were ordered together.
struct Order {
    Order(std::vector<StreamRound> ordered, const JobMap& job, int rank)
        : rounds(std::move(ordered)), room(room_for(rounds, job, rank)) {
        parts.reserve(rounds.size());
    }

    std::vector<StreamRound> rounds;
    Room room;
    std::vector<Part> parts;  ///< of those that have begun
};

class Player final : public StreamPlayer {
public:
    Player(const Channel& channel, const JobMap& job, TrainPort& trains)
        : channel_(channel), job_(job), trains_(trains) {}

    std::string play(std::vector<StreamRound> rounds) override {
        if (waiting_.is_over()) forget();
        Order& order = orders_.emplace_back(std::move(rounds), job_, channel_.rank());
        const double all_know = channel_.now() + job_.hears_sooner(channel_.rank());
        Idleness idleness(channel_);
        for (;;) {
            const bool waits = deal_with_what_came(idleness);
            trains_.take_in();
            if (order.parts.size() < order.rounds.size()) {
                const StreamRound& next = order.rounds[order.parts.size()];
                const double begins = all_know + next.begins;
                if (!waits) channel_.pause_until(begins);
                if (channel_.now() >= begins)
                    order.parts.emplace_back(channel_, job_, next, order.room, trains_,
                                             streams_before_, waiting_);
                continue;
            }
            const double end = order.parts.back().end();
            if (!waits) channel_.pause_until(end);
            // Where looks wait, whoever leaves now leaves others waiting for what it would send.
            if (!waits || (channel_.now() >= end && !Channel::looks_wait)) break;
        }
        trains_.take_in();
        WireWriter to;
        for (const Part& part : order.parts)
            for (const std::vector<double>& rates : part.rates()) to(rates);
        return to.bytes();
    }

    void finish() override {
        Idleness idleness(channel_);
        while (deal_with_what_came(idleness)) {
        }
        forget();
    }

private:
    /// Returns whether this rank waits for anything; rests if nothing came.
    bool deal_with_what_came(Idleness& idleness) {
        const auto completed = channel_.look(waiting_.requests);
        if (!completed) return false;
        for (const Channel::Completed& done : *completed) {
            int bytes = 0;
            PMPI_Get_count(&done.status, MPI_BYTE, &bytes);
            const auto [end, first] = waiting_.places[done.place];
            end->completed(done.place - first, waiting_.requests, bytes, channel_.now());
        }
        if (completed->empty())
            idleness.rest();
        else
            idleness = Idleness(channel_);
        return true;
    }
    void forget() {
        orders_.clear();
        waiting_ = {};
    }

    const Channel& channel_;
    const JobMap& job_;
    TrainPort& trains_;
    std::list<Order> orders_;  ///< of which something may be under way
    StreamCounts streams_before_;
    Waiting waiting_;
};

}  // namespace

std::unique_ptr<StreamPlayer> make_stream_player(const Channel& channel, const JobMap& job,
                                                 TrainPort& trains) {
    return std::make_unique<Player>(channel, job, trains);
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
