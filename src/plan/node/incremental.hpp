#pragma once

#include "schedule/schedule.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace espalier::plan::node {

/// A broadcast fastest node first (liu-2002, section 3) that is kept up to date while nodes join
/// and leave. All nodes before the place of who joins or leaves keep their transfers; what comes
/// after is undone and done again, so that slow ones come and go at little cost: O(log n) for each
/// node after the place. The schedule is the one that the same nodes, added in the same order,
/// would get from scratch.
class IncrementalBroadcast {
public:
    struct Node {
        std::string name;
        double time = 0;  ///< to send one message, in any one unit; > 0
    };
    /// `end` is when the receiver holds the message.
    struct Transfer {
        std::string from;
        std::string to;
        double end = 0;
        friend bool operator==(const Transfer&, const Transfer&) = default;
    };
    /// What a node that joined or left has changed. A transfer that only changes its time is both
    /// gone and added.
    struct Change {
        std::size_t kept = 0;  ///< so many nodes, first in the sequence, are served as before
        std::vector<Transfer> gone;
        std::vector<Transfer> added;
    };

    /// `root`: the name of the root, which stays. Without one, the root is a fastest node. Throws
    /// InputError where a time is not positive and finite, a name is used twice, or the root is
    /// none of them.
    explicit IncrementalBroadcast(const std::vector<Node>& nodes,
                                  const std::optional<std::string>& root = {},
                                  std::size_t ports = 1);

    /// The new node comes after all that are as fast. Throws InputError as above.
    Change join(const Node& node);
    /// Throws InputError where there is none of that name, or it is the given root, or the last.
    Change leave(const std::string& name);

    [[nodiscard]] std::size_t size() const { return steps_.size(); }
    [[nodiscard]] double makespan() const { return steps_.back().ready; }
    /// In the order in which they receive, the root first.
    [[nodiscard]] std::vector<Node> sequence() const;
    /// Its nodes are numbered in the order of the sequence.
    [[nodiscard]] schedule::Schedule schedule() const;

private:
    /// Tells nodes apart and orders them: fastest first, then by when they joined.
    struct Key {
        double time = 0;
        std::uint64_t joined = 0;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    /// What a port delivers next.
    struct Delivery {
        double at = 0;
        Key sender;
        std::size_t port = 0;
        friend auto operator<=>(const Delivery&, const Delivery&) = default;
    };
    struct Step {
        std::string name;
        Key key;
        double ready = 0;
        Key sender;  ///< not of the root
        std::size_t port = 0;
    };

    Key enroll(const Node& node);
    [[nodiscard]] std::size_t place_of(const Key& key) const;
    [[nodiscard]] Transfer transfer_of(const Step& step) const;
    [[nodiscard]] std::vector<Transfer> transfers_from(std::size_t place) const;
    std::vector<Step> undo_from(std::size_t place);
    void serve(Step step);
    template <typename Edit>
    Change redo(std::size_t place, const Edit& edit);

    std::size_t ports_;
    bool root_is_given_;
    std::uint64_t joined_ = 0;
    std::unordered_map<std::string, Key> keys_;
    std::vector<Step> steps_;
    std::set<Delivery> deliveries_;
};

}  // namespace espalier::plan::node
