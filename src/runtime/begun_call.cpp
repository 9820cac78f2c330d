#include "runtime/begun_call.hpp"

#include "runtime/clock.hpp"
#include "runtime/failure.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

#include <utility>

namespace espalier::runtime {

/// Lasts as long as the request does.
struct BegunCall::Outcome {
    int code = MPI_SUCCESS;
};

BegunCall::BegunCall(Making making, const Operands& operands, const NativeBegin& own,
                     std::shared_ptr<Channel> channel, Process& process)
    : CallTask(process),
      making_(std::move(making)),
      channel_(std::move(channel)),
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

bool BegunCall::step() {
    if (stage_ == Stage::waits && !begin()) return false;
    return stage_ == Stage::native ? is_native_over() : run_.poll();
}

/// Begins, if the calls before it have, it is known by what it is done, and its tag is free.
bool BegunCall::begin() {
    if (!channel_->is_next(place_)) return false;
    Way& way = making_.way;
    if (making_.deal) {
        if (!making_.deal->is_done()) return false;
        check(making_.deal->failure());
        way = Way::predicted(making_.deal->dealt());
    }
    if (way.is_native()) {
        check(own_(types_, channel_->own(), &native_));
        stage_ = Stage::native;
        channel_->begin();  // not before: another thread may begin the next one there at once
        return true;
    }
    if (!channel_->take(making_.seat.tag)) return false;
    channel_->begin();
    stage_ = Stage::runs;
    run_.begin(way, making_.seat, operands_.get(), process_);
    return true;
}

bool BegunCall::is_native_over() {
    int done = 0;
    check(PMPI_Test(&native_, &done, MPI_STATUS_IGNORE));
    return done != 0;
}

void BegunCall::end(int code) noexcept {
    if (stage_ == Stage::waits) channel_->begin();  // failed before: others go on
    if (stage_ == Stage::runs) {
        channel_->give_back(making_.seat.tag);
        if (making_.record) (void)problem_of([&] { making_.record(making_.way, since(began_)); });
    }
    run_.end();
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
