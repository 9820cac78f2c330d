#include "sender/slot_prices.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

namespace espalier::sender {

namespace {

std::int64_t unit_for(std::uint64_t nodes) {
    // A thousand times as many nodes as there are stay below what is boundless.
    const int bits = 50 - static_cast<int>(std::bit_width(nodes));
    return std::int64_t{1} << std::clamp(bits, 0, 36);
}

}  // namespace

Window::Window(const TickProblem& problem, const Lattice& lattice, std::size_t last)
    : problem_(&problem),
      points_(last + 1),
      classes_(problem.classes()),
      width_(problem.is_broadcast() ? classes_ + 1 : 1),
      opened_(problem.ports + (problem.is_broadcast() ? 0 : 1)),
      unit_(unit_for(problem.nodes())),
      forbidding_(2 * unit_ * static_cast<std::int64_t>(problem.nodes())) {
    assert(last < lattice.size());
    const auto end = static_cast<std::uint32_t>(points_);
    next_.assign(lattice.next.begin(),
                 lattice.next.begin() + static_cast<std::ptrdiff_t>(points_ * classes_));
    for (std::uint32_t& point : next_) point = std::min(point, end);
    all_.resize(classes_);
    std::iota(all_.begin(), all_.end(), std::size_t{0});
}

Position Window::start() const {
    Position position{.left = problem_->count, .waiting = {}};
    if (!problem_->root) {
        position.waiting.push_back({lone_slot(0), 1});
        return position;
    }
    const std::size_t root = *problem_->root;
    --position.left[root];
    const std::uint32_t stream = problem_->is_broadcast() ? opened_stream(0, root) : lone_slot(0);
    if (stream < end_of_streams()) position.waiting.push_back({stream, problem_->ports});
    return position;
}

template <typename Worth>
void Window::evaluate(BasicValuation<Worth>& valuation, std::size_t from,
                      std::span<const std::size_t> able) const {
    assert(valuation.price.size() == classes_);
    constexpr Worth most = BasicValuation<Worth>::boundless;
    auto& worth = valuation.worth;
    worth.resize((points_ + 1) * width_);
    std::fill(worth.end() - static_cast<std::ptrdiff_t>(width_), worth.end(), Worth{0});
    valuation.choice.resize(points_);
    valuation.from = from;
    const bool streams = width_ > 1;
    const auto opened = static_cast<Worth>(opened_);
    const Worth much = most / opened;
    std::vector<Worth> alone(classes_);
    for (const std::size_t c : able) alone[c] = static_cast<Worth>(unit_ - valuation.price[c]);
    for (std::size_t point = points_; point-- > from;) {
        const std::uint32_t* next = next_.data() + point * classes_;
        Worth* here = worth.data() + point * width_;
        Worth best = 0;
        std::uint16_t choice = Valuation::none;
        for (const std::size_t c : able) {
            if (!streams && next[c] == points_) continue;
            // Where times are rounded by more than a send takes, nothing is known.
            const Worth later =
                next[c] == point ? most : worth[streams ? next[c] * width_ + c : next[c]];
            if (streams) here[c] = later;
            const Worth placed = later >= much ? most : alone[c] + opened * later;
            if (placed > 0 && placed >= best) {
                best = placed;
                choice = static_cast<std::uint16_t>(c);
            }
        }
        best = std::min(best, most);
        if (streams)
            for (const std::size_t c : able) here[c] = std::min(here[c] + best, most);
        here[width_ - 1] = best;
        valuation.choice[point] = choice;
    }
}

template <typename Worth>
auto Window::surplus(const BasicValuation<Worth>& valuation, const Position& position) const ->
    typename BasicValuation<Worth>::Sum {
    using Sum = typename BasicValuation<Worth>::Sum;
    Sum sum = 0;
    for (std::size_t c = 0; c < classes_; ++c)
        sum += static_cast<Sum>(position.left[c]) * static_cast<Sum>(valuation.price[c] - unit_);
    for (const Waiting& waiting : position.waiting) {
        assert(point_of(waiting.stream) >= valuation.from);
        const Worth worth = valuation.worth[waiting.stream];
        if (std::is_integral_v<Worth> && worth >= BasicValuation<Worth>::boundless)
            return static_cast<Sum>(unknown);
        sum += static_cast<Sum>(waiting.count) * static_cast<Sum>(worth);
    }
    return sum;
}

template void Window::evaluate(Valuation&, std::size_t, std::span<const std::size_t>) const;
template void Window::evaluate(RoughValuation&, std::size_t, std::span<const std::size_t>) const;
template Wide Window::surplus(const Valuation&, const Position&) const;
template double Window::surplus(const RoughValuation&, const Position&) const;

Flow::Flow(const Window& window)
    : window_(&window),
      open_((window.points() + 1) * window.width()),
      touched_(window.points() + 1) {}

/// `fill(point, slots)` fills the slots of a point; false ends it.
template <typename Fill>
void Flow::run(const Position& position, std::span<double> used, Fill fill) {
    std::ranges::fill(used, 0);
    if (position.waiting.empty()) return;
    const std::size_t width = window_->width();
    for (const Waiting& waiting : position.waiting)
        add(window_->point_of(waiting.stream), waiting.stream % width,
            static_cast<double>(waiting.count));
    std::size_t point = window_->point_of(position.waiting.front().stream);
    for (bool on = true; on && point < window_->points(); ++point) {
        if (!touched_[point]) continue;
        double* streams = open_.data() + point * width;
        const double slots = std::accumulate(streams, streams + width, 0.0);
        for (std::size_t c = 0; c + 1 < width; ++c)
            if (streams[c] > 0) add(window_->after(point, c), c, streams[c]);
        on = fill(point, slots);
        std::fill_n(streams, width, 0.0);
        touched_[point] = false;
    }
    for (; point <= window_->points(); ++point) {
        if (touched_[point]) std::fill_n(open_.data() + point * width, width, 0.0);
        touched_[point] = false;
    }
}

void Flow::place(std::size_t point, std::size_t c, double count, std::span<double> used) {
    used[c] += count;
    add(window_->after(point, c), window_->width() > 1 ? c : 0,
        static_cast<double>(window_->opened()) * count);
}

void Flow::follow(std::span<const std::uint16_t> choice, std::span<const std::uint16_t> stand_in,
                  const Position& position, double enough, std::span<double> used) {
    double total = 0;
    run(position, used, [&](std::size_t point, double slots) {
        if (choice[point] == Valuation::none) return true;
        const std::uint16_t c = stand_in[choice[point]];
        if (c == Valuation::none || !window_->fits(point, c)) return true;
        place(point, c, slots, used);
        total += slots;
        return total <= enough;
    });
}

void Flow::share(const RoughValuation& valuation, std::span<const std::size_t> able,
                 const Position& position, double softness, std::span<double> used,
                 std::vector<Share>* shares) {
    constexpr double least_share = 8;  // softnesses below the best: e^-8 is not worth looking at
    const double soft = softness * static_cast<double>(window_->unit());
    run(position, used, [&](std::size_t point, double slots) {
        const double best = valuation.worth[window_->lone_slot(point)];
        if (best <= 0) return true;
        sharing_.clear();
        double sum = 0;
        for (const std::size_t c : able) {
            if (!window_->fits(point, c)) continue;
            const double below = (best - window_->placed(valuation, point, c)) / soft;
            if (below > least_share) continue;
            sharing_.emplace_back(c, std::exp(-below));
            sum += sharing_.back().second;
        }
        for (const auto& [c, weight] : sharing_) {
            const double count = slots * weight / sum;
            place(point, c, count, used);
            if (shares && count > 1e-9)
                shares->push_back({static_cast<std::uint32_t>(point), static_cast<std::uint32_t>(c),
                                   static_cast<float>(count)});
        }
        return true;
    });
}

}  // namespace espalier::sender
