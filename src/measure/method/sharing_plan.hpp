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

/// The conditions under which streams run.
struct StreamConditions {
    bool noisy = false;  ///< the clock: the same stream is faster at times
    /// The eager threshold in bytes: longer messages wait for their receivers.
    std::uint64_t eager = std::numeric_limits<std::uint64_t>::max();
};

/// Decides, round by round, which hosts send to which at the same time, to find out what they
/// share.
///
/// If there is no time for what follows, on a noisy clock at first all sites flood each other, over
/// as many connections as fill long paths soon: most paths out and in are full then. Then half of
/// the sites flood the other half, and these them, and so on with other halves, until each two
/// sites were in different ones: no site both sends and receives then, since acknowledgements that
/// wait in queues of the other direction end the slow start of connections. So many rounds as twice
/// the logarithm of the number of sites show what each path out and in can carry, whoever is at the
/// other end. Then one stream goes from each site to another one, in all combinations: that is what
/// a stream gets alone. On a noisy clock those that are slower than the fastest go again, between
/// other hosts, until three agree: a connection may have begun badly, and none is faster by chance.
/// Then several hosts of each site send to another one, all sites at once, which shows what gets in
/// each other's way. Then each site in turn sends to several others, and another one receives from
/// several: what that reaches in all is what its path out, or in, can carry. If sites are many,
/// several take their turns together, with targets of their own, so that the number of rounds does
/// not grow with theirs. Next, pairs of sites send both ways. The clusters of each site do likewise
/// among themselves, all sites at once. At last, rounds tell apart what is still ambiguous. What
/// comes first says most, if time runs out.
class SharingPlan {
public:
    /// `surroundings.alone` is what is believed until it is measured. `round_trips` between
    /// coordinators, seconds. `until`: when to end, on the clock of the `elapsed` below.
    SharingPlan(Surroundings surroundings, Matrix<double> round_trips, double until,
                StreamConditions conditions = {});

    /// The next round; nullopt when enough is known, or time is out.
    [[nodiscard]] std::optional<StreamRound> next(double elapsed);
    /// Records the bytes per second that the streams of the round that next() returned got.
    void record(const std::vector<double>& rates, double elapsed);

    [[nodiscard]] std::vector<Bottleneck> bottlenecks() const;
    /// The bytes per second that one stream gets alone, as Surroundings::alone. Where that was not
    /// measured, what the path carried, as far as the ends' ports allow; else what both ends
    /// reached with others, what is presumed, or 0.
    [[nodiscard]] Matrix<double> paces() const;
    [[nodiscard]] std::size_t rounds() const { return rounds_.size(); }
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    /// The number of rounds in which a capacity has to be full to be believed.
    static constexpr std::size_t convincing = 2;
    /// Rates that differ by more than this factor are not the same.
    static constexpr double clearly_more = 1.2;

    using Clusters = RoundMaker::Clusters;
    using Ends = RoundMaker::Ends;
    /// A path from the site of the first number to the site so many places further on.
    using Path = std::pair<std::size_t, std::size_t>;
    struct Planned {
        Ends ends;
        StreamKind kind = StreamKind::beside_others;
        bool one_way = false;     ///< to see whether the other direction was in its way
        std::vector<Path> paths;  ///< of each stream, where it is tried what one gets alone
    };
    enum class Stage {
        flood,
        alone,
        again,
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

    void plan_stage(double elapsed);
    void plan_insides(const std::vector<std::vector<Ends>>& by_site, StreamKind kind);
    void plan_answer();
    void plan_again();
    [[nodiscard]] std::vector<Path> all_paths(std::size_t shift) const;
    [[nodiscard]] bool is_settled(const Path& path) const;
    [[nodiscard]] double within_ports(std::size_t from, std::size_t to, double carried) const;
    [[nodiscard]] double pace(std::size_t from, std::size_t to) const;
    [[nodiscard]] double of_ends(std::size_t from, std::size_t to) const;
    void learn_alone(const RoundRates& round, bool one_way);
    void learn_carried(const RoundRates& round);
    [[nodiscard]] Bottleneck path_of(const Clusters& site, Bottleneck::Place place) const;
    void presume_paths(std::vector<Bottleneck>& found) const;
    void plan_floods(double elapsed);
    [[nodiscard]] Path path_between(std::size_t from, std::size_t to) const;
    [[nodiscard]] static bool told(const std::vector<Bottleneck>& known,
                                   const Bottleneck& bottleneck, double most);
    [[nodiscard]] bool in_haste() const;
    [[nodiscard]] Explanation explained() const;
    [[nodiscard]] std::size_t site_of(std::size_t cluster) const;
    [[nodiscard]] StreamRound timed(const Planned& planned) const;
    [[nodiscard]] const Clusters& unit_of(std::size_t cluster, std::size_t other) const;

    Surroundings surroundings_;
    Matrix<double> round_trips_;
    double until_;
    RoundMaker make_;
    Units sites_;                 ///< near ones next to each other
    std::vector<Units> insides_;  ///< of each site of several clusters, these
    Matrix<double> measured_alone_;
    std::vector<double> out_;  ///< the most that left the unit of each cluster
    std::vector<double> in_;   ///< the most that came in
    std::vector<RoundRates> rounds_;
    std::deque<Planned> planned_;
    Planned current_;
    Stage stage_ = Stage::flood;
    bool directions_share_ = false;
    StreamConditions conditions_;
    std::size_t again_ = 0;
    std::map<Path, std::vector<double>> tries_;  ///< what single streams got
    std::size_t answered_ = 0;
    std::set<std::vector<std::pair<std::size_t, std::size_t>>> asked_;
    std::size_t left_out_ = 0;
    double began_ = 0;
    double takes_ = 0;     ///< the round now, as planned, in seconds
    double slower_ = 1.1;  ///< than planned, rounds are
};

}  // namespace espalier::measure
