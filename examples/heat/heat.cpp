// The heat equation on a grid that is periodic in x, its columns sliced over a ring of hosts. See
// README.md.

#include "field.hpp"
#include "options.hpp"

#include <mpi.h>
#include <espalier/ring.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#ifdef ESPALIER_MPI_SMPI
#include <smpi/smpi.h>
#endif

namespace {

using espalier::Ring;
using heat::Field;
using heat::Options;

/// The operations of a unit of work, on platforms that espalier convert --to simgrid writes.
[[maybe_unused]] constexpr double flops_per_work = 1e9;
/// The relative change of a rank's speed that makes it worth looking at other slices.
constexpr double notable = 0.2;

std::string own_host() {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    return name.data();
}

bool is_same_host(const std::string& a, const std::string& b) {
    return a == b || a.starts_with(b + '.') || b.starts_with(a + '.');
}

/// One rank of the computation.
class Heat {
public:
    explicit Heat(const Options& options)
        : options_(options),
          ring_(MPI_COMM_WORLD, job_of(options)),
          slows_down_(options.slowdown && is_same_host(options.slowdown->host, own_host())) {
        MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
        predicted_ = ring_.step_time();
        take_slice();
        now_->heat_up(ring_.first());
        fetch_both_sides();
    }

    void run() {
        ends_.assign(static_cast<std::size_t>(options_.steps), 0);
        MPI_Barrier(MPI_COMM_WORLD);
        begin_ = MPI_Wtime();
        const int every = options_.adapt_every > 0 ? options_.adapt_every : options_.steps;
        for (int step = 0; step < options_.steps;) {
            const int until = std::min(step + every, options_.steps);
            computed_ = 0;
            const int steps = until - step;
            for (; step < until; ++step)
                if (ring_.takes_part()) {
                    advance(step);
                    ends_[static_cast<std::size_t>(step)] = MPI_Wtime() - begin_;
                }
            if (step < options_.steps) consider_slicing_anew(steps, step);
        }
    }

    void report() {
        std::vector<double> ends(ends_.size());
        MPI_Reduce(ends_.data(), ends.data(), static_cast<int>(ends.size()), MPI_DOUBLE, MPI_MAX, 0,
                   MPI_COMM_WORLD);
        if (world_rank_ != 0) return;
        // The first third is for falling into pace.
        const std::size_t settled = ends.size() / 3;
        const double before = settled == 0 ? 0 : ends[settled - 1];
        std::printf("hosts_in_ring %d\n", ring_.size());
        std::printf("predicted_step_time %.9g\n", predicted_);
        std::printf("executed_step_time %.9g\n",
                    (ends.back() - before) / static_cast<double>(ends.size() - settled));
        std::printf("total_time %.9g\n", ends.back());
        std::printf("sliced_anew %d\n", changes_);
    }

    /// Whether the grid is, bit by bit, what one process makes of it.
    bool check() {
        int identical = 1;
        if (ring_.takes_part()) identical = gather_and_compare();
        MPI_Allreduce(MPI_IN_PLACE, &identical, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (world_rank_ == 0) std::printf("check %s\n", identical ? "identical" : "different");
        return identical != 0;
    }

private:
    static espalier::RingJob job_of(const Options& options) {
        return {.network = options.network,
                .work = options.work,
                .exchange_bytes = 8.0 * options.rows,
                .columns = options.columns,
                .order = options.order,
                .planning_seconds = options.planning_seconds,
                .seed = options.seed};
    }

    void take_slice() {
        now_ = std::make_unique<Field>(options_.rows, ring_.count());
        next_ = std::make_unique<Field>(options_.rows, ring_.count());
    }

    /// Performs one step. Receives are posted first, so that a neighbour's columns find their place
    /// however early they come; the two columns that neighbours need are sent as soon as they are
    /// computed.
    void advance(int step) {
        std::array<MPI_Request, 4> requests{};
        receive(*next_, requests);
        const double begin = MPI_Wtime();
        compute(step);
        computed_ += MPI_Wtime() - begin;
        send(*next_, requests);
        MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
        std::swap(now_, next_);
    }

    void compute(int step) {
        const bool slow = slows_down_ && step >= options_.slowdown->step;
        const double factor = slow ? options_.slowdown->factor : 1;
#ifdef ESPALIER_MPI_SMPI
        next_->step_from(*now_);
        smpi_execute_flops(factor * ring_.count() / options_.columns * options_.work *
                           flops_per_work);
#else
        for (int times = 0; times < std::max(1L, std::lround(factor)); ++times)
            next_->step_from(*now_);
#endif
    }

    /// Posts the receives. With two ranks both neighbours are the same one: tag 0 goes forwards,
    /// tag 1 backwards.
    void receive(Field& field, std::array<MPI_Request, 4>& requests) {
        const MPI_Comm comm = ring_.communicator();
        MPI_Irecv(field.column(-1), options_.rows, MPI_DOUBLE, ring_.predecessor(), 0, comm,
                  &requests[0]);
        MPI_Irecv(field.column(field.columns()), options_.rows, MPI_DOUBLE, ring_.successor(), 1,
                  comm, &requests[1]);
    }
    void send(const Field& field, std::array<MPI_Request, 4>& requests) {
        const MPI_Comm comm = ring_.communicator();
        MPI_Isend(field.column(field.columns() - 1), options_.rows, MPI_DOUBLE, ring_.successor(),
                  0, comm, &requests[2]);
        MPI_Isend(field.column(0), options_.rows, MPI_DOUBLE, ring_.predecessor(), 1, comm,
                  &requests[3]);
    }
    void fetch_both_sides() {
        if (!ring_.takes_part()) return;
        std::array<MPI_Request, 4> requests{};
        receive(*now_, requests);
        send(*now_, requests);
        MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    }

    /// Asks for other slices where somebody's pace has changed since they were last thought of.
    void consider_slicing_anew(int steps_done, int step) {
        const double pace =
            ring_.takes_part() ? computed_ / steps_done / std::max(1, ring_.count()) : 0;
        const double usual = std::exchange(pace_, pace);
        int changed = pace > 0 && usual > 0 && std::abs(pace / usual - 1) > notable ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (changed == 0) return;
        const double column_bytes = 8.0 * options_.rows;
        const auto change = ring_.adapt(pace, options_.steps - step, column_bytes);
        if (world_rank_ == 0)
            std::printf("step %d: %.4g s a step, %.4g s if sliced anew, %.4g s to move: %s\n", step,
                        change.step_time_before, change.step_time_after, change.moving_time,
                        change.sliced_anew ? "sliced anew" : "stays");
        if (!change.sliced_anew) return;
        ++changes_;
        pace_ = 0;
        const std::unique_ptr<Field> old = std::move(now_);
        take_slice();
        ring_.move_columns(old->column(0), now_->column(0), options_.rows, MPI_DOUBLE);
        fetch_both_sides();
    }

    int gather_and_compare() {
        MPI_Datatype column = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(options_.rows, MPI_DOUBLE, &column);
        MPI_Type_commit(&column);
        Field all(options_.rows, ring_.place() == 0 ? options_.columns : 0);
        MPI_Gatherv(now_->column(0), ring_.count(), column, all.column(0), ring_.counts().data(),
                    ring_.displacements().data(), column, 0, ring_.communicator());
        MPI_Type_free(&column);
        if (ring_.place() != 0) return 1;
        const Field expected = heat::run_serially(options_.rows, options_.columns, options_.steps);
        const double* const begin = expected.column(0);
        return std::equal(begin, begin + expected.cells(), all.column(0)) ? 1 : 0;
    }

    const Options options_;
    Ring ring_;
    bool slows_down_;
    int world_rank_ = 0;
    double predicted_ = 0;
    std::unique_ptr<Field> now_;
    std::unique_ptr<Field> next_;
    double begin_ = 0;
    std::vector<double> ends_;  ///< when each step ended here
    double computed_ = 0;       ///< seconds, since the last look
    double pace_ = 0;           ///< seconds for a column of a step, at the last look
    int changes_ = 0;
};

int run(int argc, char** argv) {
    const Options options = heat::parse(argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (options.help) {
        if (rank == 0) std::fputs(heat::usage, stdout);
        return 0;
    }
    Heat heat(options);
    heat.run();
    heat.report();
    return !options.check || heat.check() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int status = 2;
    try {
        status = run(argc, argv);
    } catch (const std::exception& error) {
        // All ranks say the same.
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0) std::fprintf(stderr, "heat: %s\n", error.what());
    }
    MPI_Finalize();
    return status;
}
