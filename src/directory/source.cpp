#include "directory/source.hpp"

#include "directory/measurement_text.hpp"

#include <map>
#include <tuple>
#include <utility>

namespace espalier::directory {

std::vector<Measurement> Source::newest(const Period& period) const {
    std::vector<Measurement> all = read(period);
    using Subject = std::tuple<Pair, Quantity, std::optional<Bytes>, std::vector<Pair>>;
    std::map<Subject, std::size_t> last;
    for (std::size_t i = 0; i < all.size(); ++i)
        last[{all[i].pair, all[i].quantity, all[i].size, company_of(all[i])}] = i;
    std::vector<char> kept(all.size(), 0);
    for (const auto& [subject, index] : last) kept[index] = 1;
    std::size_t count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (kept[i] == 0) continue;
        if (i != count) all[count] = std::move(all[i]);
        ++count;
    }
    all.resize(count);
    return all;
}

}  // namespace espalier::directory
