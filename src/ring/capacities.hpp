#pragma once

#include "ring/embedding.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::ring {

/// What the bandwidths of an embedding's paths have to respect: for each row, the sum over the
/// flows that cross it of their bandwidths, each as often as it crosses, is at most the row's. A
/// flow is a path that crosses anything; a row is a shared link, or a backbone for one flow alone.
/// Rows that others imply are left out.
class Capacities {
public:
    struct Flow {
        std::size_t place = 0;  ///< of its sender
        bool to_successor = true;
    };
    struct Row {
        LinkId link = 0;
        double bandwidth = 0;
    };
    struct Crossing {
        std::uint32_t flow = 0;
        std::uint32_t row = 0;
        double times = 0;
    };

    Capacities(const Platform& platform, const Embedding& embedding);

    [[nodiscard]] const std::vector<Flow>& flows() const { return flows_; }
    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    [[nodiscard]] std::span<const Crossing> of_flow(std::size_t flow) const {
        return std::span(by_flow_).subspan(first_of_flow_[flow],
                                           first_of_flow_[flow + 1] - first_of_flow_[flow]);
    }
    [[nodiscard]] std::span<const Crossing> of_row(std::size_t row) const {
        return std::span(by_row_).subspan(first_of_row_[row],
                                          first_of_row_[row + 1] - first_of_row_[row]);
    }

    /// The flows' bandwidths for an embedding of that many hosts; those of empty paths infinite.
    [[nodiscard]] Rates rates(std::size_t hosts, const std::vector<double>& of_flows) const;
    [[nodiscard]] std::vector<double> of_flows(const Rates& rates) const;

    /// Scales each flow up or down to what its most crowded row lets it have if all that cross the
    /// row scale alike: the result respects every row.
    void fit(std::vector<double>& of_flows) const;

private:
    void index();
    [[nodiscard]] bool is_implied(std::size_t row, const std::vector<char>& dropped) const;
    void drop_implied_rows();

    std::vector<Flow> flows_;
    std::vector<Row> rows_;
    std::vector<Crossing> by_flow_;
    std::vector<Crossing> by_row_;
    std::vector<std::size_t> first_of_flow_;
    std::vector<std::size_t> first_of_row_;
};

}  // namespace espalier::ring
