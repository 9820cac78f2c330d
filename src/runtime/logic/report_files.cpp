#include "runtime/logic/report_files.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "runs/summary.hpp"
#include "runs/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace espalier::runtime {

namespace {

namespace fs = std::filesystem;

/// As part of a file's name.
std::string as_word(std::string text) {
    constexpr std::size_t most = 64;
    constexpr std::string_view others = "._+-";
    text.resize(std::min(text.size(), most));
    for (char& letter : text) {
        const bool is_plain = (letter >= '0' && letter <= '9') ||
                              (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
        if (!is_plain && others.find(letter) == std::string_view::npos) letter = '_';
    }
    return text.empty() ? "program" : text;
}

runs::Run read(const Json& run) { return runs::read_run({"the run", "", run}); }

}  // namespace

std::string program_name() {
    std::ifstream words("/proc/self/cmdline", std::ios::binary);
    std::string first;
    std::getline(words, first, '\0');
    return fs::path(first).filename();
}

std::optional<std::string> batch_job(const Environment& environment) {
    // Slurm, PBS, LSF, Flux, Cobalt, Grid Engine.
    constexpr std::array jobs{"SLURM_JOB_ID", "PBS_JOBID",    "LSB_JOBID",
                              "FLUX_JOB_ID",  "COBALT_JOBID", "JOB_ID"};
    for (const char* const name : jobs)
        if (auto id = environment(name); id && !id->empty()) return id;
    return std::nullopt;
}

std::optional<std::string> common_job(const Environment& environment) {
    if (auto job = batch_job(environment)) return job;
    auto name = environment("PMIX_NAMESPACE");
    return name && !name->empty() ? name : std::nullopt;
}

std::string report_name(const std::string& program, const Environment& environment,
                        const std::string& host, long process) {
    const std::string job = batch_job(environment).value_or(host);
    return fmt::format("{}.{}.{}", as_word(program), as_word(job), process);
}

std::string metrics_name(const std::string& program, const std::string& job,
                         const std::string& host, long process) {
    return fmt::format("espalier-{}.{}.{}.{}.prom", as_word(program), as_word(job), as_word(host),
                       process);
}

std::string write_report(const Json& run, const std::string& path, const std::string& name) {
    const std::string document = run.dump(1) + "\n";
    std::error_code error;
    if (path.ends_with('/'))
        fs::create_directories(path, error);
    else if (!fs::is_directory(path, error)) {
        write_file(path, document);
        return "";
    }
    if (error) throw InputError(path, "", error.message());
    const std::string stem = fs::path(path) / name;
    write_file(stem + ".json", document);
    write_file(stem + ".txt", runs::text(read(run)));
    return stem + ".txt";
}

std::string summary_of(const Json& run) { return runs::summary(read(run)); }

}  // namespace espalier::runtime
