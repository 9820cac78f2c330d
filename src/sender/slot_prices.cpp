#include "sender/slot_prices.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace espalier::sender {

namespace {

std::int64_t unit_for(std::uint64_t nodes) {
    // A thousand times as many nodes as there are stay below what is boundless.
    const int bits = 50 - static_cast<int>(std::bit_width(nodes));
    return std::int64_t{1} << std::max(bits, 0);
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

/// `most` stands for all worths that are no less.
template <typename Worth>
void Window::evaluate_points(Valuation& valuation, std::vector<Worth>& worth, Worth most) const {
    worth.resize((points_ + 1) * width_);
    std::fill(worth.end() - static_cast<std::ptrdiff_t>(width_), worth.end(), Worth{0});
    valuation.choice.resize(points_);
    const bool streams = width_ > 1;
    const auto opened = static_cast<Worth>(opened_);
    const Worth much = most / opened;
    const auto unit = static_cast<Worth>(unit_);
    for (std::size_t point = points_; point-- > valuation.from;) {
        const std::uint32_t* next = next_.data() + point * classes_;
        Worth* here = worth.data() + point * width_;
        Worth best = 0;
        std::uint16_t choice = Valuation::none;
        for (std::size_t c = 0; c < classes_; ++c) {
            if (!streams && next[c] == points_) continue;
            const Worth later = worth[streams ? next[c] * width_ + c : next[c]];
            if (streams) here[c] = later;
            const Worth placed =
                later >= much ? most
                              : unit - static_cast<Worth>(valuation.price[c]) + opened * later;
            if (placed > 0 && placed >= best) {
                best = placed;
                choice = static_cast<std::uint16_t>(c);
            }
        }
        best = std::min(best, most);
        if (streams)
            for (std::size_t c = 0; c < classes_; ++c) here[c] = std::min(here[c] + best, most);
        here[width_ - 1] = best;
        valuation.choice[point] = choice;
    }
}

void Window::evaluate(Valuation& valuation, std::size_t from) const {
    assert(valuation.price.size() == classes_);
    valuation.from = from;
    evaluate_points(valuation, valuation.worth, boundless);
}

void Window::choose_roughly(Valuation& valuation, std::size_t from) const {
    constexpr double most = 1e250;
    std::vector<double> worth;
    valuation.from = from;
    evaluate_points(valuation, worth, most);
}

Wide Window::surplus(const Valuation& valuation, const Position& position) const {
    Wide sum = 0;
    for (std::size_t c = 0; c < classes_; ++c)
        sum += static_cast<Wide>(position.left[c]) * (valuation.price[c] - unit_);
    for (const Waiting& waiting : position.waiting) {
        assert(point_of(waiting.stream) >= valuation.from);
        const std::int64_t worth = valuation.worth[waiting.stream];
        if (worth >= boundless) return unknown;
        sum += static_cast<Wide>(waiting.count) * worth;
    }
    return sum;
}

void Following::follow(const Window& window, std::span<const std::uint16_t> choice,
                       std::span<const std::uint16_t> stand_in, const Position& position,
                       double enough, std::span<double> used) {
    std::ranges::fill(used, 0);
    if (position.waiting.empty()) return;
    const std::size_t width = window.width();
    const std::size_t first = window.point_of(position.waiting.front().stream);
    open_.resize((window.points() + 1) * width);
    std::fill(open_.begin() + static_cast<std::ptrdiff_t>(first * width), open_.end(), 0.0);
    for (const Waiting& waiting : position.waiting)
        open_[waiting.stream] = static_cast<double>(waiting.count);
    const auto opened = static_cast<double>(window.opened());
    double total = 0;
    for (std::size_t point = first; point < window.points() && total <= enough; ++point) {
        const double* streams = open_.data() + point * width;
        double slots = 0;
        for (std::size_t kind = 0; kind < width; ++kind) slots += streams[kind];
        if (slots == 0) continue;
        if (width > 1)
            for (std::size_t c = 0; c + 1 < width; ++c)
                open_[window.stream(window.after(point, c), c)] += streams[c];
        if (choice[point] == Valuation::none) continue;
        const std::uint16_t c = stand_in[choice[point]];
        if (c == Valuation::none || !window.fits(point, c)) continue;
        used[c] += slots;
        total += slots;
        open_[window.opened_stream(point, c)] += opened * slots;
    }
}

}  // namespace espalier::sender
