#include "runs/running_program.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/sha256.hpp"
#include "network/json.hpp"
#include "runtime/call.hpp"
#include "runtime/communicator.hpp"
#include "runtime/failure.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// What a program asks of its own run, and how it steers a communicator.

namespace espalier::runtime {

using runs::RunningProgram;

namespace {

using schedule::Kind;

/// Does `work`, and makes what it returns, or what is wrong with it, a text for the caller.
int answer(char** text, const std::function<std::string()>& work) noexcept {
    ExitStatus status = ExitStatus::done;
    *text = nullptr;
    try {
        std::string said;
        try {
            said = work();
        } catch (const Error& error) {
            status = error.status();
            said = error.what();
        } catch (const MpiFailure& failure) {
            status = ExitStatus::internal_fault;
            said = "a call of MPI's failed: " + text_of_failure(failure.code);
        } catch (const std::exception& error) {
            status = ExitStatus::internal_fault;
            said = error.what();
        }
        *text = ::strdup(said.c_str());
    } catch (...) {
        status = ExitStatus::internal_fault;
    }
    return static_cast<int>(status);
}

/// Throws InputError where there is none to ask.
Process& process_of_program() {
    int initialised = 0;
    int finalised = 0;
    PMPI_Initialized(&initialised);
    PMPI_Finalized(&finalised);
    if (initialised == 0 || finalised != 0)
        throw InputError("MPI is not initialised, or is finalised already");
    Process* const process = Process::known();
    if (process == nullptr) throw InputError("espalier is off in this process");
    return *process;
}

MPI_Comm communicator_of(int handle) {
    MPI_Comm comm = PMPI_Comm_f2c(handle);
    if (comm == MPI_COMM_NULL) throw InputError("communicator", "", "it is MPI_COMM_NULL");
    return comm;
}

/// A call that is asked about, or that entries are about.
struct Row {
    RunReport::Call call;
    std::size_t calls = 0;
    bool exact = true;
    RunReport::Expectation known;

    [[nodiscard]] Json to_json() const {
        Json entry = RunReport::call_json(call, calls, known);
        if (schedule::combines(call.kind) && call.kind != Kind::barrier) entry["exact"] = exact;
        return entry;
    }
};

Row row_of(const Signature& signature, const Communicator& communicator) {
    Row row;
    row.call.kind = signature.kind;
    row.call.communicator_size = static_cast<std::size_t>(communicator.size());
    row.call.root = static_cast<std::size_t>(signature.root);
    row.call.bytes = signature.bytes;
    row.call.algorithm = "native";
    row.call.uneven = signature.uneven;
    row.call.among_neighbours = signature.among_neighbours;
    row.exact = signature.exact;
    return row;
}

Row native_row(const Signature& signature, const Communicator& communicator,
               const std::string& reason) {
    Row row = row_of(signature, communicator);
    row.known.reason = reason;
    return row;
}

Row row_of(const Signature& signature, const Plans::Entry& entry, Communicator& communicator) {
    Row row = row_of(signature, communicator);
    row.calls = entry.done;
    if (signature.direct) row.call.bytes = entry.planned_bytes;
    if (entry.deal) {
        row.known.reason = "its plan is still to come";
        return row;
    }
    const Bandit::Variant next = entry.bandit.next();
    if (next != Bandit::native) row.call.algorithm = entry.plan->of(next).algorithm;
    row.known = communicator.plans().describe(signature, entry, next);
    return row;
}

/// The leader looks where the ranks sit before any call has asked it to.
Verdict verdict_of(Communicator& communicator, Process& process) {
    const bool may_look =
        communicator.is_planned() && communicator.leads() && !communicator.has_joined();
    return may_look ? communicator.locate(process) : communicator.verdict();
}

std::string run_document(const RunReport::Heading& heading, Json calls) {
    Json run = RunReport::heading_json(heading);
    run["calls"] = std::move(calls);
    return run.dump();
}

std::string tell_network() {
    Process& process = process_of_program();
    if (const auto network = process.network()) return network::to_json(network->measured()).dump();
    throw InputError("no network is planned on" +
                     (process.verdict() ? ": " + to_string(*process.verdict()) : ""));
}

std::string tell_communicator(int handle) {
    Process& process = process_of_program();
    Communicator& of = Communicator::of(communicator_of(handle), process);
    const Communicator::InCall in_call(of);
    RunReport::Heading heading = process.heading_so_far();
    const auto lock = of.lock_planning();
    heading.left_to_mpi = to_string(verdict_of(of, process));
    std::vector<Row> rows;
    if (heading.left_to_mpi.empty())
        of.plans().for_each([&](const Signature& signature, const Plans::Entry& entry) {
            rows.push_back(row_of(signature, entry, of));
        });
    std::ranges::sort(rows, [](const Row& one, const Row& other) {
        return std::tie(one.call, one.exact) < std::tie(other.call, other.exact);
    });
    Json calls = Json::array();
    for (const Row& row : rows) calls.push_back(row.to_json());
    return run_document(heading, std::move(calls));
}

/// What all ranks know of the call; nullopt where only the call itself tells it.
std::optional<Question> question_of(const RunReport::Call& named,
                                    const RunningProgram::Call& asked) {
    if (named.uneven || named.among_neighbours) return std::nullopt;
    if (named.kind == Kind::barrier) {
        Question question;
        question.signature.kind = Kind::barrier;
        return question;
    }
    Question question =
        Question::about(named.kind, asked.bytes, schedule::has_root(named.kind) ? asked.root : 0);
    if (schedule::combines(named.kind))
        question.combine(PMPI_Op_f2c(asked.op), PMPI_Type_f2c(asked.type));
    return question;
}

/// What is known of calls as `named`, or by their signature where that is known; that of the most
/// bytes, where sizes are not part of it.
std::optional<Row> known_row(const RunReport::Call& named, const std::optional<Question>& question,
                             const RunningProgram::Call& asked, Communicator& communicator) {
    const Bytes bytes = size_class(Bytes(asked.bytes));
    const auto is_meant = [&](const Signature& signature) {
        if (question) return signature == question->signature;
        return signature.uneven == named.uneven && (signature.direct || signature.bytes == bytes) &&
               signature.among_neighbours == named.among_neighbours &&
               (named.among_neighbours || signature.kind == named.kind) &&
               (!schedule::has_root(named.kind) || signature.root == asked.root);
    };
    std::optional<Row> found;
    communicator.plans().for_each([&](const Signature& signature, const Plans::Entry& entry) {
        if (!is_meant(signature)) return;
        Row row = row_of(signature, entry, communicator);
        if (!found || found->call < row.call) found = std::move(row);
    });
    return found;
}

Row row_of(const RunningProgram::Call& asked, Communicator& communicator, Process& process) {
    if (asked.collective == nullptr) throw InputError("collective", "", "it is NULL");
    const std::string name = asked.collective;
    const auto named = RunReport::find_call(name);
    if (!named) throw InputError("collective", "", "'" + name + "' is none");
    if (schedule::has_root(named->kind) && (asked.root < 0 || asked.root >= communicator.size()))
        throw InputError("root", "",
                         std::to_string(asked.root) + " is no rank of the communicator");
    const auto question = question_of(*named, asked);
    Signature signature = question ? question->signature : Signature();
    if (!question) {
        signature.kind = named->kind;
        signature.root = schedule::has_root(named->kind) ? asked.root : 0;
        signature.bytes = size_class(Bytes(asked.bytes));
        signature.uneven = named->uneven;
        signature.among_neighbours = named->among_neighbours;
    }
    const Verdict verdict = verdict_of(communicator, process);
    if (verdict != Verdict::planned) return native_row(signature, communicator, to_string(verdict));
    if (question && question->refusal != nullptr)
        return native_row(signature, communicator, question->refusal);
    if (auto known = known_row(*named, question, asked, communicator)) return *std::move(known);
    if (!question)
        throw InputError(name, "",
                         "what does it is decided at its first call, by who has what for whom");
    if (!communicator.plans().may_begin(signature))
        return native_row(signature, communicator, "plans cost more so far than they brought");
    if (!communicator.leads())
        throw InputError(
            name, "",
            "no such call was made yet, and rank 0 of the communicator alone knows the plan");
    return row_of(signature, Plans::foresee(signature, communicator, process), communicator);
}

std::string tell_call(int handle, const RunningProgram::Call* asked) {
    Process& process = process_of_program();
    Communicator& of = Communicator::of(communicator_of(handle), process);
    const Communicator::InCall in_call(of);
    const auto lock = of.lock_planning();
    const Row row = row_of(*asked, of, process);
    RunReport::Heading heading = process.heading_so_far();
    heading.left_to_mpi = to_string(verdict_of(of, process));
    return run_document(heading, Json::array({row.to_json()}));
}

using Words = std::map<std::string, std::string>;

Words words_of(const RunningProgram::Setting* settings, std::size_t count) {
    Words words;
    for (std::size_t i = 0; i < count; ++i) {
        if (settings[i].name == nullptr || settings[i].value == nullptr)
            throw InputError("options", "", "a name or a value is NULL");
        words[settings[i].name] = settings[i].value;
    }
    return words;
}

/// A number that all digits of a double hold: words that differ have another, but for a chance of
/// 2 to the power of -52.
double digest_of_words(const Words& words) {
    std::string all;
    for (const auto& [name, value] : words) {
        all.append(name).append("\n");
        all.append(value).append("\n");
    }
    constexpr std::size_t digits = 13;
    return static_cast<double>(std::stoull(sha256(all).substr(0, digits), nullptr, 16));
}

/// Ranks hear whether all of them want the same, and can. Throws InputError where they don't.
void agree_on(const Words& words, const std::string& wrong, MPI_Comm comm) {
    const double digest = digest_of_words(words);
    const std::array own{digest, -digest, wrong.empty() ? 0.0 : 1.0};
    std::array<double, 3> greatest{};
    check_handled(PMPI_Allreduce(own.data(), greatest.data(), 3, MPI_DOUBLE, MPI_MAX, comm));
    if (!wrong.empty()) throw InputError(wrong);
    if (greatest[2] != 0)
        throw InputError("communicator", "",
                         "what another rank asks for makes no sense; nothing has changed");
    if (greatest[0] != -greatest[1])
        throw InputError("communicator", "",
                         "its ranks ask for different settings; nothing has changed");
}

std::string steer_communicator(int handle, const RunningProgram::Setting* settings,
                               std::size_t count) {
    Process& process = process_of_program();
    MPI_Comm comm = communicator_of(handle);
    Communicator& of = Communicator::of(comm, process);
    const Communicator::InCall in_call(of);
    Words words;
    std::shared_ptr<const Settings> own;
    const std::string wrong = problem_of([&] {
        words = words_of(settings, count);
        own = std::make_shared<const Settings>(steered(process.settings(), words));
    });
    const Verdict fixed = of.fixed_verdict(comm, process);
    if (fixed != Verdict::planned) {
        if (!wrong.empty()) throw InputError(wrong);
        if (count == 0 || own->planning == Settings::Planning::never) return "";
        throw InputError(
            "communicator", "",
            "its collectives are MPI's own whatever its settings are: " + to_string(fixed));
    }
    of.complete_begun(process);
    agree_on(words, wrong, comm);
    if (!of.is_freed()) of.steer(std::move(own), comm, process);
    return "";
}

}  // namespace

}  // namespace espalier::runtime

extern "C" const espalier::runs::RunningProgram* espalier_running_program_1() {
    using namespace espalier::runtime;
    static constexpr RunningProgram asked{
        .so_far =
            [](char** text) {
                return answer(text, [] { return process_of_program().report_so_far().dump(); });
            },
        .network = [](char** text) { return answer(text, tell_network); },
        .communicator =
            [](int comm, char** text) {
                return answer(text, [&] { return tell_communicator(comm); });
            },
        .call = [](int comm, const RunningProgram::Call* of,
                   char** text) { return answer(text, [&] { return tell_call(comm, of); }); },
        .steer =
            [](int comm, const RunningProgram::Setting* settings, std::size_t count, char** text) {
                return answer(text, [&] { return steer_communicator(comm, settings, count); });
            }};
    return &asked;
}
