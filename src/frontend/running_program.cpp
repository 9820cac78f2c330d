#include "frontend/running_program.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "network/json.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>

namespace espalier::frontend {

namespace {

using runs::RunningProgram;

const RunningProgram& running_program() {
    using GiveOut = const RunningProgram* (*)();
    void* const found = ::dlsym(RTLD_DEFAULT, runs::running_program);
    if (found == nullptr)
        throw InputError("no library of this version of espalier is loaded under this program");
    return *reinterpret_cast<GiveOut>(found)();
}

/// The text that an answer consists of. Throws InputError or Error.
template <typename Ask>
std::string answer(const Ask& ask) {
    char* text = nullptr;
    const auto status = static_cast<ExitStatus>(ask(&text));
    const std::unique_ptr<char, decltype(&std::free)> freed(text, &std::free);
    std::string said = text == nullptr ? "not enough memory" : text;
    if (status == ExitStatus::bad_input) throw InputError(said);
    if (status != ExitStatus::done || text == nullptr)
        throw Error(ExitStatus::internal_fault, said);
    return said;
}

KnownRun known_run(std::string json) {
    Json storage;
    runs::Run run = runs::read_run(JsonValue::parse("run", json, storage));
    return {std::move(json), std::move(run)};
}

}  // namespace

KnownRun run_so_far() { return known_run(answer(running_program().so_far)); }

KnownRun run_of(int communicator) {
    return known_run(
        answer([&](char** text) { return running_program().communicator(communicator, text); }));
}

KnownRun ask(int communicator, const AskedCall& call) {
    const RunningProgram::Call asked{call.collective.c_str(), call.bytes.value, call.root, call.op,
                                     call.type};
    return known_run(
        answer([&](char** text) { return running_program().call(communicator, &asked, text); }));
}

network::Network network_in_use() {
    return network::parse_network(answer(running_program().network), "network in use");
}

void steer(int communicator, const std::vector<RunningProgram::Setting>& settings) {
    (void)answer([&](char** text) {
        return running_program().steer(communicator, settings.data(), settings.size(), text);
    });
}

}  // namespace espalier::frontend
