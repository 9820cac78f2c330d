#pragma once

#include <array>
#include <cstddef>

namespace espalier::sender_papers {

/// A row of liu-2002, Table 1: broadcasts among three classes, means of 50 clusters. The ratios are
/// parts of the whole tree, in percent.
struct PrintedBroadcast {
    std::size_t nodes;
    double tree;    ///< N
    double leaves;  ///< L
    double ours;    ///< nodes examined by their search
    double ours_percent;
    double generic;
    double generic_percent;
    double time_ratio;
};
inline constexpr std::array<PrintedBroadcast, 12> printed_broadcasts{{
    {10, 8895, 2750, 101, 1.135, 1876, 21.091, 17.9},
    {11, 26200, 8094, 132, 0.504, 4956, 18.916, 36.8},
    {12, 65666, 20118, 180, 0.274, 10406, 15.817, 57.7},
    {13, 182749, 55812, 364, 0.199, 25517, 13.963, 69.7},
    {14, 479988, 146226, 549, 0.114, 62318, 12.983, 111.9},
    {15, 1130166, 342050, 1111, 0.098, 144507, 12.786, 132.1},
    {16, 3156025, 953521, 2007, 0.064, 300785, 9.531, 152.1},
    {17, 9193712, 2773002, 3002, 0.033, 1029079, 11.193, 334.5},
    {18, 31946795, 9688499, 5721, 0.018, 2658041, 8.320, 465.3},
    {19, 86500614, 26089395, 6124, 0.007, 7098066, 8.206, 1169.6},
    {20, 220708439, 66378464, 12693, 0.006, 13926482, 6.310, 1126.2},
    {21, 658075130, 198533991, 27418, 0.004, 29399414, 4.470, 1324.3},
}};

/// liu-2000, Table 1: efficiency of the search for reductions in percent, by the nodes and the
/// classes, 3 to 6.
inline constexpr std::size_t least_printed_classes = 3;
struct PrintedReduction {
    std::size_t nodes;
    std::array<double, 4> efficiency;
};
inline constexpr std::array<PrintedReduction, 11> printed_reductions{{
    {6, {53.22, 56.48, 58.36, 63.82}},
    {7, {64.28, 72.74, 77.41, 71.38}},
    {8, {71.28, 79.24, 82.26, 84.18}},
    {9, {86.78, 91.88, 93.33, 94.48}},
    {10, {89.99, 93.80, 94.70, 96.42}},
    {11, {94.32, 96.84, 97.29, 98.71}},
    {12, {94.62, 97.58, 97.48, 98.82}},
    {13, {96.40, 98.63, 99.09, 99.62}},
    {14, {96.78, 98.64, 99.40, 99.65}},
    {15, {97.70, 99.45, 99.84, 99.83}},
    {16, {98.21, 99.51, 99.84, 99.96}},
}};

}  // namespace espalier::sender_papers
