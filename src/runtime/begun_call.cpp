#include "runtime/begun_call.hpp"

#include "runtime/clock.hpp"
#include "runtime/failure.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

#include <algorithm>
#include <utility>

namespace espalier::runtime {

using schedule::Kind;

Bandit::Variant predicted_best(const PlannedCollective& share) {
    if (!share.is_left_to_calls()) return share.is_native() ? Bandit::native : 0;
    return Bandit({share.priors(), *share.library, share.agreement}).next();
}

Bandit::Variant without_waiting(const Plans::Plan& plan, Bandit::Variant variant) {
    const bool waits = variant != Bandit::native && !plan.of(variant).program.barriers.empty();
    return waits ? Bandit::native : variant;
}

KeptOperands::KeptOperands(const Operands& of, int ranks) : operands_(of) {
    const auto blocks = static_cast<std::size_t>(ranks);
    keep(operands_.input, blocks);
    keep(operands_.output, blocks);
}

KeptOperands::~KeptOperands() {
    for (MPI_Datatype& type : made_) PMPI_Type_free(&type);
}

void KeptOperands::keep(Side& side, std::size_t blocks) {
    // The counts of a reduce-scatter in place are its input's.
    const bool is_read = !side.is_in_place() || operands_.kind == Kind::reduce_scatter;
    if (side.type == MPI_DATATYPE_NULL || !is_read) return;
    const std::size_t length = side.index != nullptr ? side.index->blocks : blocks;
    for (const int** array : {&side.counts, &side.displacements}) {
        if (*array == nullptr) continue;
        arrays_.push_back(std::make_unique<int[]>(length));
        std::copy_n(*array, length, arrays_.back().get());
        *array = arrays_.back().get();
    }
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_COMBINER_NAMED;
    // What is made with large counts says an error, and is not named.
    const int code = PMPI_Type_get_envelope(side.type, &integers, &addresses, &types, &combiner);
    if (code == MPI_SUCCESS && combiner == MPI_COMBINER_NAMED) return;
    // A duplicate would have the program's attributes, too.
    MPI_Datatype same = MPI_DATATYPE_NULL;
    check_handled(PMPI_Type_contiguous(1, side.type, &same));
    made_.push_back(same);
    check_handled(PMPI_Type_commit(&made_.back()));
    side.type = made_.back();
}

Types KeptOperands::types(const Types& types) const {
    const auto kept = [](const Side& side, MPI_Datatype type) {
        return side.type == MPI_DATATYPE_NULL || side.is_in_place() ? type : side.type;
    };
    return {kept(operands_.input, types.input), kept(operands_.output, types.output)};
}

/// Lasts as long as the request does.
struct BegunCall::Outcome {
    int code = MPI_SUCCESS;
};

BegunCall::BegunCall(Making making, const Operands& operands, const NativeBegin& own,
                     std::shared_ptr<Channel> channel, Process& process)
    : making_(std::move(making)),
      channel_(std::move(channel)),
      process_(process),
      operands_(operands, making_.seat.size),
      types_(operands_.types(own.types())),
      own_(own.keep()),
      began_(PMPI_Wtime()),
      outcome_(new Outcome) {
    const int code = PMPI_Grequest_start(&query, &BegunCall::free, &cancel, outcome_, &request_);
    if (code != MPI_SUCCESS) delete outcome_;
    check(code);
    *own.request() = request_;
    place_ = channel_->queue();
    channel_->enter();
}

BegunCall::~BegunCall() = default;

bool BegunCall::advance() noexcept {
    int code = MPI_SUCCESS;
    bool is_over = true;
    try {
        is_over = step();
    } catch (const MpiFailure& failure) {
        code = failure.code;
    } catch (const std::exception& error) {
        (void)problem_of([&] { process_.log().warn(std::string("MPI: ") + error.what()); });
        code = MPI_ERR_INTERN;
    }
    if (is_over) end(code);
    return is_over;
}

bool BegunCall::step() {
    if (stage_ == Stage::waits && !begin()) return false;
    return stage_ == Stage::native ? is_native_over() : move();
}

/// Begins, if the calls before it have, it is known by what it is done, and its tag is free.
bool BegunCall::begin() {
    if (!channel_->is_next(place_)) return false;
    Way& way = making_.way;
    if (making_.deal) {
        if (!making_.deal->is_done()) return false;
        check(making_.deal->failure());
        way.plan = making_.deal->dealt();
        way.variant = without_waiting(*way.plan, predicted_best(way.plan->share));
    }
    if (way.variant == Bandit::native) {
        channel_->begin();
        stage_ = Stage::native;
        check(own_(types_, channel_->own(), &native_));
        return true;
    }
    if (!channel_->take(making_.seat.tag)) return false;
    channel_->begin();
    stage_ = Stage::runs;
    const RankProgram& program = way.plan->of(way.variant).program;
    buffers_.emplace(operands_.get(), process_.device_memory(), making_.seat);
    layout_.emplace(buffers_->operands(), program, way.plan->written[way.variant], making_.seat,
                    process_.staging());
    executor_.begin(program, making_.ordered, *layout_, process_.staging());
    return true;
}

bool BegunCall::move() {
    if (!executor_.poll()) return false;
    layout_->finish();
    buffers_->finish();
    return true;
}

bool BegunCall::is_native_over() {
    int done = 0;
    check(PMPI_Test(&native_, &done, MPI_STATUS_IGNORE));
    return done != 0;
}

void BegunCall::end(int code) {
    if (stage_ == Stage::waits) channel_->begin();  // failed before: others go on
    if (stage_ == Stage::runs) {
        channel_->give_back(making_.seat.tag);
        if (layout_ && layout_->is_abandoned()) buffers_->abandon();
        if (making_.record) (void)problem_of([&] { making_.record(making_.way, since(began_)); });
    }
    layout_.reset();
    buffers_.reset();
    outcome_->code = code;
    // The program may have the buffers back, and free the communicator.
    channel_->leave();
    PMPI_Grequest_complete(request_);
}

int BegunCall::query(void* outcome, MPI_Status* status) {
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return static_cast<Outcome*>(outcome)->code;
}

int BegunCall::free(void* outcome) {
    delete static_cast<Outcome*>(outcome);
    return MPI_SUCCESS;
}

/// Nobody may cancel a collective.
int BegunCall::cancel(void*, int) { return MPI_SUCCESS; }

}  // namespace espalier::runtime
