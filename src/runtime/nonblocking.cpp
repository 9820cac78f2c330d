#include "runtime/nonblocking.hpp"

#include "runtime/begun_call.hpp"
#include "runtime/communicator.hpp"
#include "runtime/guarded.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/operators.hpp"
#include "runtime/passing.hpp"
#include "runtime/persistent.hpp"
#include "runtime/plans.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace espalier::runtime {

namespace {

/// A call that is MPI's own, as the program made it.
int hand_on(const NativeBegin& own) {
    note_passed(own.name());
    return with_program([&] { return own(); });
}

/// A call that is MPI's own on the channel, where others may be that did not begin yet elsewhere.
int hand_on(const NativeBegin& own, const Channel& channel, MPI_Comm comm) {
    note_passed(own.name());
    const int code = with_program([&] { return own.on(channel.own()); });
    return code == MPI_SUCCESS ? code : raise(comm, code);
}

/// Records a call in the run's report once it is over.
std::function<void(const Way&, Seconds)> recorder(const Call& call, const Question& question,
                                                  const Communicator& communicator,
                                                  Process& process) {
    if (!process.records()) return {};
    RunReport::Call key;
    key.kind = call.kind;
    key.uneven = call.uneven;
    key.among_neighbours = call.is_among_neighbours();
    key.communicator_size = static_cast<std::size_t>(communicator.size());
    key.root = static_cast<std::size_t>(std::max(question.signature.root, 0));
    key.bytes = question.bytes;
    if (question.signature.direct) {
        const auto sizes = call.sizes(communicator.membership());
        key.bytes =
            size_class(Bytes(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0})));
    }
    return [key, planned_bytes = question.signature.bytes, &process](const Way& way,
                                                                     Seconds elapsed) mutable {
        const PlannedCollective& share = way.plan->of(way.variant);
        key.algorithm = share.algorithm;
        const auto describe = [&] {
            RunReport::Expectation expectation;
            expectation.segments = share.segments;
            expectation.predicted = share.predicted;
            expectation.planned_bytes = planned_bytes;
            expectation.ports = share.program.ports;
            expectation.bound = share.bound;
            expectation.staging_bytes = share.staging_bytes;
            expectation.choice = share.choice;
            expectation.considered = way.plan->considered;
            return expectation;
        };
        process.record(key, {way.plan.get(), 0}, describe, elapsed);
    };
}

int begin_planned(const Call& call, const NativeBegin& own, const Question& question,
                  const std::shared_ptr<Channel>& channel, Communicator& communicator,
                  Process& process) {
    const Signature& signature = question.signature;
    Plans& plans = communicator.plans();
    Plans::Entry* entry = plans.find(signature);
    if (entry == nullptr) {
        if (!plans.may_begin(signature)) return hand_on(own);
        auto deal = std::make_shared<DealUnderWay>(
            call.name(), signature, communicator.leads() ? question.blocks : nullptr,
            signature.direct ? call.sizes(communicator.membership()) : std::vector<std::uint64_t>(),
            communicator.next_seat(call.comm, process).tag, channel, communicator, process);
        entry = &plans.begin(signature, deal);
        process.progress().add(std::move(deal));
    }
    ++entry->done;
    BegunCall::Making making;
    if (entry->deal)
        making.deal = entry->deal;
    else
        making.way = Way::of(signature, *entry);
    if (making.deal && making.deal->is_done() && making.deal->failure() == MPI_SUCCESS) {
        making.way = Way::predicted(making.deal->dealt());
        if (making.way.is_native() && channel->has_begun_all()) {
            (void)communicator.next_seat(call.comm, process);  // as where it is not known yet
            return hand_on(own, *channel, call.comm);
        }
        making.deal = nullptr;
    } else if (!making.deal && making.way.is_native()) {
        return hand_on(own);
    }
    making.seat = communicator.next_seat(call.comm, process);
    making.seat.peers = channel->ranks_in_world();
    making.record = recorder(call, question, communicator, process);
    communicator.count_begun();
    process.progress().add(std::make_shared<BegunCall>(
        std::move(making), call.operands(communicator.membership()), own, channel, process));
    return MPI_SUCCESS;
}

/// The program may free an operator of its own before the call is over.
bool may_lose_operator(const Call& call, const Membership& in) {
    const MPI_Op op = call.operands(in).op;
    return op != MPI_OP_NULL && !is_predefined(op);
}

/// Makes the request of a persistent call. Ranks do that in the order of all other calls, and may
/// wait for each other.
int make_ready(const Call& call, const NativeBegin& own, Communicator& communicator,
               Process& process) {
    if (!process.common().progresses) return hand_on(own);
    communicator.catch_up(call, process);
    const Membership in = communicator.membership();
    if (!communicator.is_planned()) return hand_on(own);
    const Question question = call.ask(in);
    if (question.refusal != nullptr || !call.is_sound(in) || may_lose_operator(call, in))
        return hand_on(own);
    communicator.join(call.comm, process);
    if (!communicator.is_planned()) return hand_on(own);
    Plans& plans = communicator.plans();
    const Plans::Entry entry = plans.of_repeated(call, question, communicator, process);
    PersistentCall::Making making;
    making.way = Way::of(question.signature, entry);
    if (making.way.is_native()) return hand_on(own);
    const auto tags = communicator.take_tags(hears_of_starts(), call.comm, process);
    if (!tags) return hand_on(own);
    making.tags = *tags;
    making.seat = communicator.next_seat(call.comm, process);
    making.ranks_in_world = communicator.ranks_in_world();
    making.neighbourhood = communicator.neighbourhood();
    making.starts = plans.promise(question.signature, entry, making.way.variant);
    making.record = recorder(call, question, communicator, process);
    const auto made =
        std::make_shared<PersistentCall>(std::move(making), call.operands(in), process);
    process.persistent_calls().add(made);
    *own.request() = made->request();
    communicator.count_begun();
    return MPI_SUCCESS;
}

}  // namespace

int begin(const Call& call, const NativeBegin& own) {
    return guarded(call.name(), call, [&](const Call& made, Process& process) {
        Communicator& communicator = Communicator::of(made.comm, process);
        const Communicator::InCall in_call(communicator);
        if (!communicator.is_planned() || own.request() == nullptr) return hand_on(own);
        if (own.is_persistent()) return make_ready(made, own, communicator, process);
        const Membership in = communicator.membership();
        if (made.is_among_neighbours() && in.neighbours == nullptr) {
            communicator.want_neighbours();
            (void)communicator.channel_of_next(process);
            return hand_on(own);
        }
        const Question question = made.ask(in);
        if (question.refusal != nullptr) return hand_on(own);
        const auto channel = communicator.channel_of_next(process);
        if (!channel || !made.is_sound(in)) return hand_on(own);
        if (may_lose_operator(made, in)) return hand_on(own);
        return begin_planned(made, own, question, channel, communicator, process);
    });
}

}  // namespace espalier::runtime
