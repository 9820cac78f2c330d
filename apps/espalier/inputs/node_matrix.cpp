#include "inputs/node_matrix.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace espalier::cli {

namespace {

/// The place of each of the nodes in the table.
std::vector<std::size_t> places_of(const network::PairTable& table, const std::string& path,
                                   const std::vector<std::string>& names) {
    std::vector<std::size_t> places(names.size());
    if (!table.named) {
        std::iota(places.begin(), places.end(), std::size_t{0});
        return places;
    }
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < table.size(); ++i) index.emplace(table.names[i], i);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = index.find(names[i]);
        if (found == index.end())
            throw InputError(path, "", fmt::format("the network's node '{}' is missing", names[i]));
        places[i] = found->second;
    }
    return places;
}

Matrix<std::optional<double>> in_order(const network::PairTable& table, const std::string& path,
                                       const std::vector<std::string>& names) {
    if (table.size() != names.size())
        throw InputError(path, "",
                         fmt::format("it is {0} x {0}, and the network has {1} nodes", table.size(),
                                     names.size()));
    const auto places = places_of(table, path, names);
    Matrix<std::optional<double>> result(names.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = 0; j < names.size(); ++j)
            result(i, j) = table.cells(places[i], places[j]);
    return result;
}

}  // namespace

Matrix<std::optional<double>> read_node_matrix(const std::string& path,
                                               const std::vector<std::string>& names) {
    return in_order(network::read_pair_table(path), path, names);
}

Matrix<std::optional<double>> read_stated_matrix(const std::string& path,
                                                 const std::vector<std::string>& names,
                                                 network::StatedCells cells) {
    return in_order(network::read_stated_table(path, cells), path, names);
}

}  // namespace espalier::cli
