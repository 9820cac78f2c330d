#include "plan/exchange/far_first.hpp"

#include "plan/exchange/caterpillar.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace espalier::plan::exchange {

namespace {

/// A path is far if its latency is at least this part of the longest.
constexpr double far_part = 0.75;

/// Where messages of several nodes pass on the way out of where these are, such as the uplink of a
/// site.
struct Gate {
    double longest = 0;                ///< latency of what passes
    std::vector<std::size_t> senders;  ///< of what goes far, each once
    std::size_t told = 0;              ///< others
    /// The last signal to each of them, by its place in the order; none where there is one only.
    std::vector<std::optional<std::size_t>> words{};
};

/// In which order a node sends its messages.
enum class Turn : std::uint8_t {
    far,
    inside,  ///< passes no gate
    nearer,  ///< than others that pass the same gate
};

class FarFirst {
public:
    explicit FarFirst(const Problem& problem)
        : problem_(problem),
          gates_(problem.fabric->capacities().size()),
          gate_of_(problem.messages.size()),
          turns_(problem.messages.size(), Turn::inside),
          word_to_(problem.nodes()) {
        find_gates();
        take_turns();
    }

    Found run(Order order) && {
        // Receivers take in what comes in this order, too.
        std::ranges::stable_sort(order, {}, [&](std::size_t m) {
            return std::pair(turns_[m], turns_[m] == Turn::far ? problem_.messages[m].latency : 0);
        });
        const auto behind_far =
            std::ranges::find_if(order, [&](std::size_t m) { return turns_[m] != Turn::far; });
        found_.order.assign(order.begin(), behind_far);
        found_.after.resize(found_.order.size());
        for (auto m = behind_far; m != order.end(); ++m) {
            const std::size_t node = problem_.messages[*m].from;
            if (turns_[*m] == Turn::nearer && !word_to_[node]) tell(gates_[*gate_of_[*m]], node);
        }
        for (auto m = behind_far; m != order.end(); ++m) {
            found_.order.push_back(*m);
            found_.after.push_back(turns_[*m] == Turn::nearer ? word_to_[problem_.messages[*m].from]
                                                              : std::nullopt);
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] std::span<const std::uint32_t> on_the_way_out(const Message& message) const {
        const auto draws = problem_.fabric->draws(message.from, message.to);
        const auto sharing = problem_.fabric->sharing(message.from, message.to);
        return draws.first(std::min(draws.size(), sharing.before));
    }

    /// What only one node's messages pass is no gate: their order is theirs.
    void find_gates() {
        std::vector<std::optional<std::size_t>> sender(gates_.size());
        std::vector<char> is_gate(gates_.size(), 0);
        for (const Message& message : problem_.messages)
            for (const auto c : on_the_way_out(message)) {
                if (sender[c] && *sender[c] != message.from) is_gate[c] = 1;
                sender[c] = message.from;
                gates_[c].longest = std::max(gates_[c].longest, message.latency);
            }
        for (std::size_t m = 0; m < problem_.messages.size(); ++m)
            for (const auto c : on_the_way_out(problem_.messages[m]))
                if (is_gate[c] != 0 &&
                    (!gate_of_[m] || gates_[*gate_of_[m]].longest < gates_[c].longest))
                    gate_of_[m] = c;
    }

    void take_turns() {
        std::vector<double> longest(problem_.nodes(), 0);
        for (const Message& message : problem_.messages)
            longest[message.from] = std::max(longest[message.from], message.latency);
        for (std::size_t m = 0; m < problem_.messages.size(); ++m) {
            const Message& message = problem_.messages[m];
            if (!gate_of_[m]) {
                if (message.latency >= far_part * longest[message.from]) turns_[m] = Turn::far;
                continue;
            }
            const bool is_far = message.latency >= far_part * gates_[*gate_of_[m]].longest;
            turns_[m] = is_far ? Turn::far : Turn::nearer;
            if (!is_far) continue;
            for (const auto c : on_the_way_out(message))
                if (auto& senders = gates_[c].senders;
                    senders.empty() || senders.back() != message.from)
                    senders.push_back(message.from);
        }
    }

    /// Has the node told when what goes far through the gate has left. Those that send it tell each
    /// other as in a dissemination barrier (Hensgen, Finkel and Manber 1988), so that after as many
    /// rounds as doublings make their number each knows of all; then they tell who else waits.
    void tell(Gate& gate, std::size_t node) {
        const auto& senders = gate.senders;
        // What goes farther here may wait itself, for what passes another gate.
        if (senders.empty()) return;
        if (gate.words.empty()) {
            gate.words.resize(senders.size());
            for (std::size_t distance = 1; distance < senders.size(); distance *= 2) {
                const auto heard = gate.words;
                for (std::size_t s = 0; s < senders.size(); ++s) {
                    const std::size_t to = (s + distance) % senders.size();
                    gate.words[to] = signal(senders[s], senders[to], heard[s]);
                }
            }
        }
        const auto own = std::ranges::lower_bound(senders, node);
        if (own != senders.end() && *own == node) {
            word_to_[node] = gate.words[static_cast<std::size_t>(own - senders.begin())];
            return;
        }
        const std::size_t next = gate.told++ % senders.size();
        word_to_[node] = signal(senders[next], node, gate.words[next]);
    }

    /// Its place in the order.
    std::size_t signal(std::size_t from, std::size_t to, std::optional<std::size_t> after) {
        found_.order.push_back(problem_.messages.size() + found_.signals.size());
        found_.after.push_back(after);
        found_.signals.push_back({from, to});
        return found_.order.size() - 1;
    }

    const Problem& problem_;
    std::vector<Gate> gates_;  ///< by capacity
    std::vector<std::optional<std::uint32_t>> gate_of_;
    std::vector<Turn> turns_;
    /// For which signal each node waits, by its place in the order.
    std::vector<std::optional<std::size_t>> word_to_;
    Found found_;
};

}  // namespace

Found far_first(const Problem& problem, Meter& meter) {
    return FarFirst(problem).run(caterpillar(problem, meter).order);
}

}  // namespace espalier::plan::exchange
