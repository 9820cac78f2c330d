#pragma once

#include "measure/method/bottlenecks.hpp"
#include "measure/method/rounds.hpp"
#include "measure/method/stream_round.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace espalier::measure {

/// What the streams of a round got, by stream and window, in bytes per second.
using RoundWindows = std::vector<std::vector<double>>;

/// A round of streams, as what it was planned.
struct PlannedRound {
    std::vector<StreamEnds> ends;
    StreamKind kind = StreamKind::beside_others;
    bool one_way = false;   ///< to see whether the other direction was in its way
    bool in_pairs = false;  ///< each site sends to one other, or receives from one
};

/// A round, and what its streams got.
struct PlayedRound {
    PlannedRound planned;
    RoundWindows rates;
};

/// Decides, round by round, which hosts send to which at the same time, to find out what they
/// share.
///
/// On a noisy clock trains of datagrams go from each site to each other one at first, some
/// milliseconds apart, which tells in two round trips what narrow paths carry. Then, or where time
/// is short, sites flood each other, over as many connections as fill long paths soon. In each
/// round half of the sites flood the other half, or these them, and so on with other halves, until
/// each two sites were in different ones: so many rounds as twice the logarithm of the number of
/// sites show what most paths out and in can carry, whoever is at the other end. So do the clusters
/// of each site among themselves. Then floods ask about those paths, of sites and clusters, of
/// groups of sites as latencies tell, and of pairs, that may carry clearly more by what is known
/// than they were seen to; of groups once their sites are known. In no round a site both sends and
/// receives, since acknowledgements that wait in queues of the other direction end the slow start
/// of connections. Rounds that do not wait for what others find are ordered at once.
///
/// Without noise one stream goes from each site to another one, in all combinations: that is what
/// a stream gets alone. Then each site in turn sends to several others, and another one receives
/// from several: what that reaches in all is what its path out, or in, can carry. Then several
/// hosts of each site send to another one, all sites at once, which shows what gets in each other's
/// way. That tells more than floods, but the number of rounds grows with that of sites.
///
/// The clusters of each site do likewise among themselves, all sites at once. Next, on any clock,
/// pairs of sites send both ways. At last, rounds tell apart what is still ambiguous. What comes
/// first says most, if time runs out.
class SharingPlan {
public:
    /// `surroundings.alone` is what is believed until it is measured. `round_trips` between
    /// coordinators, seconds. `until`: when to end, on the clock of the `elapsed` below.
    SharingPlan(Surroundings surroundings, Matrix<double> round_trips, double until,
                StreamConditions conditions = {});

    /// The seconds that single streams need, of each site and between all.
    [[nodiscard]] double time_for_singles() const;
    /// Lets sites flood each other on any clock, since there is less time than that. To be called
    /// first.
    void flood();
    /// The next rounds, to be ordered together; none when enough is known, or time is out.
    [[nodiscard]] std::vector<StreamRound> next(double elapsed);
    /// Records what the streams of the rounds that next() returned got.
    void record(const std::vector<RoundWindows>& rates, double elapsed);

    /// Knows what an earlier plan of the same hosts and clusters recorded, and does not ask for it
    /// again. To be called first.
    void recall(const std::vector<PlayedRound>& rounds);
    /// All that was recorded or recalled.
    [[nodiscard]] const std::vector<PlayedRound>& played() const { return played_; }

    [[nodiscard]] std::vector<Bottleneck> bottlenecks() const;
    /// Whether clusters between which none of these lies have nothing to share: there was time for
    /// all rounds, or what is presumed otherwise, that all their messages share what one stream
    /// gets alone, is not so by what all such pairs were seen to carry.
    [[nodiscard]] bool knows_all_shared() const;
    /// The bytes per second that one stream gets alone, as Surroundings::alone. Where that was not
    /// measured, what the path carried by itself, as far as the ends' ports allow; else what it
    /// seems to share, what is presumed, or 0.
    [[nodiscard]] Matrix<double> paces() const;
    /// The same, for who plans by it: where sites flooded each other and the path did not carry
    /// anything by itself, no more than what the paths of both sites were seen to carry, unless it
    /// is known what they can.
    [[nodiscard]] Matrix<double> sure_paces() const;
    [[nodiscard]] std::size_t rounds() const { return rounds_.size(); }
    /// Whether there was time for all rounds.
    [[nodiscard]] bool complete() const { return left_out_ == 0; }
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    /// Rates that differ by more than this factor are not the same.
    static constexpr double clearly_more = 1.2;
    /// The trains from each site to each other one; and as many again where no two agree.
    static constexpr std::size_t most_trains = 3;
    /// The rounds in which a capacity is full that was not so by chance.
    static constexpr std::size_t convincing = 2;

    using Clusters = RoundMaker::Clusters;
    using Ends = RoundMaker::Ends;
    using UnitPairs = std::set<std::pair<std::size_t, std::size_t>>;  ///< from, to
    enum class Stage {
        trains,
        halves,
        inside_halves,
        questions,
        alone,
        hubs,
        across,
        insides_alone,
        insides_across,
        insides_hubs,
        both_ways,
        one_way,
        all_one_way,
        answers,
        done
    };

    void plan_stage();
    void learn(const PlayedRound& round);
    [[nodiscard]] std::pair<std::size_t, std::size_t> unit_pair(std::size_t from,
                                                                std::size_t to) const;
    [[nodiscard]] UnitPairs unit_pairs(const std::vector<StreamEnds>& ends) const;
    [[nodiscard]] bool is_recalled(const PlannedRound& planned) const;
    [[nodiscard]] std::size_t times_played(const Units& from, const Units& to) const;
    void plan_insides(const std::vector<std::vector<Ends>>& by_site, StreamKind kind);
    void plan_answer();
    [[nodiscard]] double within_ports(std::size_t from, std::size_t to, double carried) const;
    [[nodiscard]] double pace(std::size_t from, std::size_t to) const;
    [[nodiscard]] double of_shared(std::size_t from, std::size_t to) const;
    [[nodiscard]] std::vector<double> least_of_paths(Bottleneck::Place place) const;
    void learn_alone(const RoundRates& round, bool one_way);
    /// What streams of a round got in its last window, and in the one before.
    struct RoundEnd {
        RoundRates last;
        RoundRates before;
    };
    /// Connections that got clearly more in the last window than before were still beginning: they
    /// say what is carried at least.
    [[nodiscard]] static bool still_rises(double before, double last) {
        return last > clearly_more * before;
    }
    [[nodiscard]] Matrix<double> between_units(const RoundRates& round) const;
    void learn_carried(const RoundRates& round, const RoundEnd& end);
    void learn_trains(const PlayedRound& round);
    void drop_refuted_trains(const RoundRates& flood);
    [[nodiscard]] static double agreed(std::vector<double> rates);
    [[nodiscard]] double train_limit(std::size_t from, std::size_t to) const;
    void learn_cards(const RoundRates& round);
    void presume();
    [[nodiscard]] Bottleneck path_of(const Clusters& site, Bottleneck::Place place) const;
    void plan_trains();
    void plan_halves(const std::vector<Units>& siblings);
    struct Question {
        Units from;
        Units to;
        Bottleneck about;
        double predicted = 0;  ///< what it carries by what is known
        double worth = 0;
    };
    void plan_questions();
    [[nodiscard]] std::vector<Question> open_questions(const Units& siblings) const;
    [[nodiscard]] bool fits(const std::vector<const Question*>& round,
                            const Question& question) const;
    void plan_flood(const std::vector<std::pair<Units, Units>>& floods, bool in_pairs);
    void begin_next_stage();
    [[nodiscard]] static RoundRates mean_of(const std::vector<RoundRates>& windows,
                                            const std::vector<double>& totals);
    [[nodiscard]] static RoundRates window(const PlannedRound& planned, const RoundWindows& rates,
                                           std::size_t begin, std::size_t end);
    [[nodiscard]] static bool told(const std::vector<Bottleneck>& known,
                                   const Bottleneck& bottleneck, double most);
    /// What follows from what was recorded so far.
    struct Concluded {
        std::vector<StreamRate> trains;     ///< that floods don't gainsay
        std::vector<RoundRates> rounds;     ///< floods and streams, and these
        Explanation explanation;            ///< of all
        std::vector<Bottleneck> confirmed;  ///< but lines that only one pair's trains show
    };
    [[nodiscard]] const Concluded& concluded() const;
    [[nodiscard]] const std::vector<RoundRates>& evidence() const { return concluded().rounds; }
    [[nodiscard]] const Explanation& explained() const { return concluded().explanation; }
    void add_lines(const std::vector<StreamRate>& trains, std::vector<Bottleneck>& found) const;
    [[nodiscard]] bool has_settled(const Bottleneck& found) const;
    [[nodiscard]] bool gainsays(const Bottleneck& found, const StreamRate& train) const;
    void add_other_ends(std::vector<Bottleneck>& found) const;
    void forget();
    [[nodiscard]] std::size_t site_of(std::size_t cluster) const;
    [[nodiscard]] StreamRound timed(const PlannedRound& planned) const;
    [[nodiscard]] const Clusters& unit_of(std::size_t cluster, std::size_t other) const;

    Surroundings surroundings_;
    Matrix<double> round_trips_;
    double until_;
    RoundMaker make_;
    Units sites_;                 ///< near ones next to each other
    std::vector<Units> insides_;  ///< of each site of several clusters, these
    Matrix<double> measured_alone_;
    Matrix<double> carried_;  ///< the most that all hosts of one unit sent to another one alone
    std::map<ClusterPair, std::vector<double>> trains_;  ///< rates from site to site
    std::vector<StreamRate> agreed_trains_;              ///< one of each pair of sites
    std::vector<RoundRates> rounds_;                     ///< floods and streams
    std::vector<RoundEnd> ends_;                         ///< of these
    std::vector<PlayedRound> played_;
    std::vector<UnitPairs> flooded_;  ///< in each flood that was played
    std::vector<std::pair<StreamKind, UnitPairs>> recalled_;
    mutable std::optional<Concluded> concluded_;
    struct Carried {
        double predicted = 0;  ///< by what is known
        double most = 0;       ///< as seen
    };
    mutable std::map<std::vector<ClusterPair>, Carried> expected_;  ///< of paths, by these rounds
    std::deque<PlannedRound> planned_;
    std::vector<PlannedRound> current_;
    Stage stage_ = Stage::alone;
    bool floods_ = false;  ///< in place of single streams
    bool directions_share_ = false;
    StreamConditions conditions_;
    std::size_t answered_ = 0;
    std::set<std::vector<std::pair<std::size_t, std::size_t>>> asked_;
    std::map<std::vector<ClusterPair>, std::size_t> times_asked_;
    std::size_t left_out_ = 0;
    double began_ = 0;
    double takes_ = 0;      ///< what is ordered now, as planned, in seconds
    double slower_ = 1.05;  ///< than planned, rounds are
};

}  // namespace espalier::measure
