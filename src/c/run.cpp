#include "runs/run.hpp"
#include "core/error.hpp"
#include "handles.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <vector>

using namespace espalier;
using c::guarded;
using c::required;

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// A time that is 0 where it is not known.
double known(Seconds time) { return time.value > 0 ? time.value : not_known; }
double known(const std::optional<Seconds>& time) { return time ? time->value : not_known; }

espalier_call call_of(const runs::Call& call) {
    espalier_call made{};
    made.collective = call.collective.c_str();
    made.ranks = call.ranks;
    made.root = call.root;
    made.bytes = call.bytes.value;
    made.calls = call.calls;
    made.algorithm = call.algorithm.c_str();
    made.reason = call.reason.c_str();
    made.choice = call.choice.c_str();
    made.exact = call.exact ? 1 : 0;
    made.predicted = known(call.predicted);
    made.lower_bound = known(call.bound.value_or(Seconds(0)));
    made.taken = known(call.taken);
    made.own = known(call.sum);
    made.planned = call.gain ? call.gain->planned.value : not_known;
    made.native = call.gain ? call.gain->own.value : not_known;
    made.timed = call.gain && call.gain->measured ? 1 : 0;
    return made;
}

}  // namespace

espalier_status espalier_run_so_far(espalier_run** result) {
    return guarded([&] {
        espalier_run*& place = required(result, "run");
        place = new espalier_run{frontend::run_so_far()};
    });
}

espalier_status espalier_run_of(int communicator, espalier_run** result) {
    return guarded([&] {
        espalier_run*& place = required(result, "run");
        place = new espalier_run{frontend::run_of(communicator)};
    });
}

espalier_status espalier_run_ask(int communicator, const char* collective, uint64_t bytes, int root,
                                 int op, int type, espalier_run** result) {
    return guarded([&] {
        espalier_run*& place = required(result, "run");
        place = new espalier_run{
            frontend::ask(communicator, {.collective = &required(collective, "collective"),
                                         .bytes = Bytes(bytes),
                                         .root = root,
                                         .op = op,
                                         .type = type})};
    });
}

void espalier_run_free(espalier_run* self) { delete self; }

const char* espalier_run_mpi(const espalier_run* self) {
    return self == nullptr ? nullptr : self->known.run.mpi.c_str();
}

size_t espalier_run_ranks(const espalier_run* self) {
    return self == nullptr ? 0 : self->known.run.ranks;
}

const char* espalier_run_network_from(const espalier_run* self) {
    return self == nullptr ? nullptr : self->known.run.network_from.c_str();
}

const char* espalier_run_network(const espalier_run* self) {
    return self == nullptr ? nullptr : self->known.run.network_fingerprint.c_str();
}

const char* espalier_run_left_to_mpi(const espalier_run* self) {
    return self == nullptr ? nullptr : self->known.run.left_to_mpi.c_str();
}

size_t espalier_run_calls(const espalier_run* self) {
    return self == nullptr ? 0 : self->known.run.calls.size();
}

espalier_status espalier_run_call(const espalier_run* self, size_t index, espalier_call* result) {
    return guarded([&] {
        const auto& calls = required(self, "run").known.run.calls;
        espalier_call& place = required(result, "call");
        if (index >= calls.size())
            throw InputError("index", "",
                             fmt::format("{} is none of {} calls", index, calls.size()));
        place = call_of(calls[index]);
    });
}

const char* espalier_run_json(const espalier_run* self) {
    return self == nullptr ? nullptr : self->known.json.c_str();
}

espalier_status espalier_network_in_use(espalier_network** result) {
    return guarded([&] {
        espalier_network*& place = required(result, "network");
        place = new espalier_network(frontend::network_in_use(), "network in use");
    });
}

espalier_status espalier_steer(int communicator, const espalier_option* options, size_t count) {
    return guarded([&] {
        std::vector<runs::RunningProgram::Setting> settings(count);
        for (std::size_t i = 0; i < count && options != nullptr; ++i)
            settings[i] = {options[i].name, options[i].value};
        frontend::steer(communicator, settings);
    });
}
