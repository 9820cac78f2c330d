#include "measure/method/splits.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <iterator>

namespace espalier::measure {

std::vector<std::vector<std::size_t>> splits_of_tree(const Matrix<double>& distances) {
    const std::size_t size = distances.rows();
    // What is joined so far: the elements of each, and how far they are from each other.
    std::vector<std::vector<std::size_t>> joined;
    for (std::size_t k = 0; k < size; ++k) joined.push_back({k});
    Matrix<double> apart = distances;
    std::vector<std::size_t> open(size);
    for (std::size_t k = 0; k < size; ++k) open[k] = k;
    std::vector<std::vector<std::size_t>> splits;
    // Of three, each faces the other two.
    while (open.size() > 3) {
        const auto far = [&](std::size_t a) {
            double sum = 0;
            for (const std::size_t b : open) sum += apart(a, b);
            return sum;
        };
        double best = infinity;
        std::size_t first = 0;
        std::size_t second = 0;
        for (const std::size_t a : open)
            for (const std::size_t b : open) {
                if (a >= b) continue;
                const double cost =
                    static_cast<double>(open.size() - 2) * apart(a, b) - far(a) - far(b);
                if (cost >= best) continue;
                best = cost;
                first = a;
                second = b;
            }
        std::vector<std::size_t> both;
        std::ranges::merge(joined[first], joined[second], std::back_inserter(both));
        const double length = apart(first, second);
        for (const std::size_t c : open)
            apart(first, c) = apart(c, first) = (apart(first, c) + apart(second, c) - length) / 2;
        apart(first, first) = 0;
        joined[first] = both;
        std::erase(open, second);
        if (both.front() != 0) {
            splits.push_back(both);
            continue;
        }
        std::vector<std::size_t>& others = splits.emplace_back();
        for (std::size_t k = 0; k < size; ++k)
            if (!std::ranges::binary_search(both, k)) others.push_back(k);
    }
    return splits;
}

}  // namespace espalier::measure
