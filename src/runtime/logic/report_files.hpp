#pragma once

#include "core/json.hpp"
#include "runtime/logic/settings.hpp"

#include <optional>
#include <string>

namespace espalier::runtime {

/// The last part of the name by which this process was started; empty where it is not known.
[[nodiscard]] std::string program_name();

/// The number of the batch system's job; nullopt where there is none.
[[nodiscard]] std::optional<std::string> batch_job(const Environment& environment);

/// What all processes of a job, and no others on their hosts, know as its name without a word: the
/// batch system's number, or what the launcher calls it. nullopt where there is no such name.
[[nodiscard]] std::optional<std::string> common_job(const Environment& environment);

/// What the files of a run are called, without an ending: the program, the batch system's job (or
/// the host, where there is none), and the process, so that no two runs have the same.
[[nodiscard]] std::string report_name(const std::string& program, const Environment& environment,
                                      const std::string& host, long process);

/// What the file of a process's metrics is called: `espalier-….prom`, no other's name.
[[nodiscard]] std::string metrics_name(const std::string& program, const std::string& job,
                                       const std::string& host, long process);

/// Writes a run (`espalier-run`) to `path`. Where that is a folder, or ends with a slash and is
/// made one, two files of that `name`: `.txt`, for people, and `.json`. Returns the file for
/// people; empty where there is none. Throws InputError.
std::string write_report(const Json& run, const std::string& path, const std::string& name);

/// runs::summary() of a run (`espalier-run`).
[[nodiscard]] std::string summary_of(const Json& run);

}  // namespace espalier::runtime
