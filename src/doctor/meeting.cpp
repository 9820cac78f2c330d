#include "doctor/meeting.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "doctor/diagnosis.hpp"
#include "doctor/letters.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <utility>

namespace espalier::doctor {

namespace {

using Clock = std::chrono::steady_clock;

/// After the last that came: who comes later is not waited for.
constexpr auto for_all_to_come = std::chrono::seconds(6);
/// For a message of one host, beside what it is asked to do.
constexpr Seconds for_an_answer{5};

struct Guest {
    FileDescriptor connection;
    Hello hello;
    bool answers = true;
};

/// Whoever comes and knows the token, in the order of their ranks.
std::vector<Guest> welcome(const Meeting& meeting, std::size_t ranks) {
    std::map<std::size_t, Guest> guests;
    auto until = Clock::now() + for_all_to_come;
    while (guests.size() < ranks) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        pollfd polled{meeting.port.socket.get(), POLLIN, 0};
        if (left <= 0 || poll(&polled, 1, static_cast<int>(left)) <= 0) break;
        FileDescriptor connection(
            accept4(meeting.port.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
        auto hello = hello_from(receive_text(connection.get(), Seconds(2)));
        if (!hello || hello->token != meeting.invitation.token || hello->rank >= ranks) continue;
        const std::size_t rank = hello->rank;
        guests.insert_or_assign(rank, Guest{std::move(connection), std::move(*hello)});
        until = Clock::now() + for_all_to_come;
    }
    std::vector<Guest> found;
    for (auto& [rank, guest] : guests) found.push_back(std::move(guest));
    return found;
}

/// One of each host stays, that with the least rank.
std::vector<Guest> one_of_each_host(std::vector<Guest> guests) {
    std::set<std::string> places;
    std::vector<Guest> staying;
    for (Guest& guest : guests) {
        if (places.insert(guest.hello.host.place).second)
            staying.push_back(std::move(guest));
        else
            (void)send_text(guest.connection.get(), "end");
    }
    return staying;
}

struct Pace {
    Seconds duration;
    unsigned small = 0;
    unsigned trains = 0;
};

/// So many datagrams that the loss of one in a hundred shows between any two hosts.
constexpr double datagrams_to_each = 160;
/// Fewer, where only what stands out is looked at again.
constexpr double datagrams_again = 100;

/// No more than a thousand a second from a host, or to one, that has so many targets, or is one of
/// so many.
Pace pace_for(std::size_t targets, double wanted) {
    constexpr double most_a_second = 1000;
    constexpr double most_to_each = 400;
    const double duration =
        std::clamp(wanted * static_cast<double>(targets) / most_a_second, 2.0, 5.0);
    const double small =
        std::min(most_to_each, duration * most_a_second / static_cast<double>(targets));
    constexpr unsigned trains = 7;
    return {Seconds(duration), std::max(static_cast<unsigned>(small), 1U), trains};
}

class Holder {
public:
    explicit Holder(std::vector<Guest> guests) : guests_(std::move(guests)) {
        for (Guest& guest : guests_) facts_.hosts.push_back(std::move(guest.hello.host));
        facts_.networks = networks_of(facts_.hosts);
    }

    Facts hold(const std::function<void(const char*, double)>& stage) {
        stage("asking for names", 0.1);
        look_up_names();
        stage("sending datagrams", 0.2);
        probe(datagrams_to_each, [](const Goal&, std::size_t) { return true; });
        stage("looking again at what stands out", 0.6);
        probe_suspects();
        stage("timing a piece of work", 0.8);
        time_work();
        for (const Guest& guest : guests_) (void)send_text(guest.connection.get(), "end");
        return std::move(facts_);
    }

private:
    void tell(Guest& guest, const std::string& text) {
        guest.answers = guest.answers && send_text(guest.connection.get(), text);
    }
    /// Has what a host answers read; a host that answers nothing, or nonsense, drops out.
    void hear(Guest& guest, Seconds patience, const std::function<void(const std::string&)>& read) {
        if (!guest.answers) return;
        try {
            const std::string answer = receive_text(guest.connection.get(), patience);
            guest.answers = !answer.empty();
            if (guest.answers) read(answer);
        } catch (const std::exception&) {
            guest.answers = false;
        }
    }

    /// Hosts after a host come first, so that at one time no two send to the same.
    [[nodiscard]] std::vector<Goal> goals_of(std::size_t self) const {
        std::vector<Goal> goals;
        for (std::size_t network = 0; network < facts_.networks.size(); ++network) {
            const auto& members = facts_.networks[network].members;
            const auto own = std::ranges::find(members, self, &CardNetwork::Member::host);
            if (own == members.end()) continue;
            const auto place = static_cast<std::size_t>(own - members.begin());
            for (std::size_t step = 1; step < members.size(); ++step) {
                const auto& member = members[(place + step) % members.size()];
                const Hello& hello = guests_[member.host].hello;
                goals.push_back({member.host, network, member.address, hello.datagrams,
                                 hello.connections,
                                 facts_.hosts[self].interfaces[own->interface].mtu});
            }
        }
        return goals;
    }

    void look_up_names() {
        for (Guest& guest : guests_) tell(guest, to_text(task_for({}, Pace{})));
        for (std::size_t host = 0; host < guests_.size(); ++host)
            hear(guests_[host], for_an_answer,
                 [&](const std::string& answer) { facts_.hosts[host].names = names_from(answer); });
    }

    [[nodiscard]] Task task_for(std::vector<Goal> goals, const Pace& pace) const {
        Task task;
        task.networks = facts_.networks.size();
        for (const Host& host : facts_.hosts) task.names.push_back(host.name);
        task.goals = std::move(goals);
        task.duration = pace.duration;
        task.small = pace.small;
        task.trains = pace.trains;
        return task;
    }

    Pair& pair(const Pair& like) {
        const auto [place, is_new] =
            number_.try_emplace({like.from, like.to, like.network}, facts_.pairs.size());
        if (is_new) {
            Pair fresh;
            fresh.from = like.from;
            fresh.to = like.to;
            fresh.network = like.network;
            facts_.pairs.push_back(fresh);
        }
        return facts_.pairs[place->second];
    }

    /// All hosts at once, each to those of its goals that are wanted.
    void probe(double datagrams,
               const std::function<bool(const Goal&, std::size_t self)>& is_wanted) {
        std::vector<std::vector<Goal>> goals;
        std::vector<std::size_t> sources(guests_.size());
        std::size_t most = 1;
        for (std::size_t self = 0; self < guests_.size(); ++self) {
            goals.push_back(goals_of(self));
            std::erase_if(goals[self], [&](const Goal& goal) { return !is_wanted(goal, self); });
            most = std::max(most, goals[self].size());
            for (const Goal& goal : goals[self]) most = std::max(most, ++sources[goal.host]);
        }
        const Pace pace = pace_for(most, datagrams);
        for (std::size_t self = 0; self < guests_.size(); ++self) {
            Task task = task_for(std::move(goals[self]), pace);
            task.self = self;
            tell(guests_[self], to_text(task));
        }
        for (std::size_t host = 0; host < guests_.size(); ++host)
            hear(guests_[host], pace.duration + for_an_answer, [&](const std::string& answer) {
                take(host, probed_from(answer, facts_.hosts.size(), facts_.networks.size()));
            });
    }

    /// What was seen anew takes the place of what was, but for what nothing makes better than it
    /// is.
    void take(std::size_t host, const Probed& probed) {
        facts_.hosts[host].overflowed = probed.overflowed;
        for (const Pair& sent : probed.sent) {
            Pair& known = pair(sent);
            known.small_sent = sent.small_sent;
            known.large_sent = sent.large_sent;
            known.connects = sent.connects;
            if (sent.round_trip_s)
                known.round_trip_s =
                    std::min(known.round_trip_s.value_or(*sent.round_trip_s), *sent.round_trip_s);
        }
        for (const Pair& received : probed.received) {
            Pair& known = pair(received);
            known.misled += received.misled;
            if (received.to != host) continue;
            known.small_received = received.small_received;
            known.large_received = received.large_received;
            known.spread_s = received.spread_s;
            if (received.rate_Bps)
                known.rate_Bps =
                    std::max(known.rate_Bps.value_or(*received.rate_Bps), *received.rate_Bps);
        }
    }

    /// The ways that something is found about are looked at again, by themselves: what had to do
    /// with all that went on at the time does not come back.
    void probe_suspects() {
        std::set<std::array<std::size_t, 3>> suspects;
        for (const std::size_t number : suspicious_pairs(facts_)) {
            Pair& pair = facts_.pairs[number];
            suspects.insert({pair.from, pair.to, pair.network});
            pair.small_received = 0;
            pair.large_received = 0;
        }
        if (suspects.empty()) return;
        probe(datagrams_again, [&](const Goal& goal, std::size_t self) {
            return suspects.contains({self, goal.host, goal.network});
        });
    }

    /// One after the other on each machine: else they would time one another.
    void time_work_of(const std::vector<std::size_t>& hosts) {
        std::map<std::string, std::vector<std::size_t>> queues;
        for (const std::size_t host : hosts) queues[facts_.hosts[host].machine].push_back(host);
        for (std::size_t turn = 0; true; ++turn) {
            std::vector<std::size_t> at_work;
            for (const auto& [machine, queue] : queues)
                if (turn < queue.size()) at_work.push_back(queue[turn]);
            if (at_work.empty()) return;
            for (const std::size_t host : at_work) tell(guests_[host], "work");
            for (const std::size_t host : at_work)
                hear(guests_[host], for_an_answer, [&](const std::string& answer) {
                    work_[host].push_back(std::stod(answer));
                    facts_.hosts[host].work_s = median(work_[host]);
                });
        }
    }

    /// Who was slow gets further chances, since anything may have kept it once.
    void time_work() {
        constexpr int chances = 2;
        constexpr double slow = 1.3;
        std::vector<std::size_t> all;
        for (std::size_t host = 0; host < guests_.size(); ++host) all.push_back(host);
        time_work_of(all);
        for (int chance = 0; chance < chances; ++chance) {
            std::vector<double> times;
            for (const Host& host : facts_.hosts) times.push_back(host.work_s);
            const double limit = slow * median(times);
            std::erase_if(all, [&](std::size_t host) { return facts_.hosts[host].work_s < limit; });
            time_work_of(all);
        }
    }

    std::vector<Guest> guests_;
    Facts facts_;
    std::map<std::size_t, std::vector<double>> work_;  ///< by host: what it took each time
    std::map<std::array<std::size_t, 3>, std::size_t> number_;
};

}  // namespace

Facts hold_meeting(const Meeting& meeting, std::size_t ranks,
                   const std::function<std::string(std::size_t rank)>& card,
                   const std::function<void(const char*, double)>& stage) {
    std::vector<Guest> guests = welcome(meeting, ranks);
    std::vector<bool> came(ranks);
    for (const Guest& guest : guests) came[guest.hello.rank] = true;
    Facts facts = Holder(one_of_each_host(std::move(guests))).hold(stage);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (came[rank]) continue;
        Host absent = host_of_card(card(rank));
        if (std::ranges::find(facts.hosts, absent.name, &Host::name) == facts.hosts.end())
            facts.hosts.push_back(std::move(absent));
    }
    return facts;
}

}  // namespace espalier::doctor
