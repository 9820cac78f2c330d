#pragma once

#include "report/axis.hpp"
#include "report/column_tracks.hpp"
#include "report/diagram.hpp"
#include "report/node_names.hpp"

#include <cstddef>
#include <string>

namespace espalier::report {

/// Pixels of a picture.
struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
    [[nodiscard]] double middle() const { return x + width / 2; }
    [[nodiscard]] double bottom() const { return y + height; }
};

/// The positions of the bars of a plan that is drawn in columns: a column for each node, time
/// downwards.
class ColumnsLayout {
public:
    static constexpr double small_size = 12;  ///< of times, and of the names of lines across
    static constexpr double least_label_size = 7;

    /// The plan must outlive it. `view` is as for columns_svg(), which throws alike.
    ColumnsLayout(const schedule::Plan& plan, View view, const TimelineOptions& options);

    /// The heads of the columns begin at `y`, on a page of at least least_width().
    void move_to(double y) { top_ = y + head_height_ + 6; }
    [[nodiscard]] double least_width() const { return width_; }

    [[nodiscard]] const ColumnTracks& tracks() const { return tracks_; }
    [[nodiscard]] const NodeNames& names() const { return names_; }
    [[nodiscard]] bool sends() const { return sends_; }
    [[nodiscard]] bool receives() const { return receives_; }
    [[nodiscard]] bool both() const { return sends_ && receives_; }

    [[nodiscard]] Range times() const { return {0, last_time_}; }
    [[nodiscard]] double left() const { return left_; }
    [[nodiscard]] double right() const { return x_of(nodes_); }
    [[nodiscard]] double top() const { return top_; }  ///< of time 0
    [[nodiscard]] double bottom() const { return top_ + plot_height_; }
    [[nodiscard]] double head_height() const { return head_height_; }
    [[nodiscard]] double column_width() const { return column_width_; }
    [[nodiscard]] double x_of(std::size_t node) const {
        return left_ + static_cast<double>(node) * column_width_;
    }
    /// The y coordinate of a time in seconds.
    [[nodiscard]] double y_of(double time) const {
        return AxisMap(times(), {top(), bottom()})(time);
    }
    [[nodiscard]] Box box_of(const Bar& bar) const;

    /// Applies `use` to all bars that this view shows.
    template <typename Use>
    void for_each_bar(Use use) const {
        if (receives_)
            for (const Bar& bar : tracks_.receives) use(bar);
        if (!sends_) return;
        for (const Bar& bar : tracks_.local) use(bar);
        for (const Bar& bar : tracks_.sends) use(bar);
    }

private:
    [[nodiscard]] double find_last_time(const schedule::Plan& plan) const;
    [[nodiscard]] double find_plot_height() const;
    /// The room beside the plot: times stand to its left, the names of the lines across it to its
    /// right.
    [[nodiscard]] double find_left(const TimelineOptions& options) const;
    [[nodiscard]] static double find_right_margin(const schedule::Plan& plan,
                                                  const TimelineOptions& options);
    [[nodiscard]] double find_column_width(double room) const;
    /// The width of the bars of one kind in a column.
    [[nodiscard]] double side_width() const;

    std::size_t nodes_;
    ColumnTracks tracks_;
    bool sends_;
    bool receives_;
    double last_time_;  ///< seconds
    double left_;       ///< of the first column
    double right_margin_;
    double column_width_;
    NodeNames names_;
    double head_height_;
    double plot_height_;
    double width_;
    double top_ = 0;
};

}  // namespace espalier::report
