#pragma once

#include "core/json_reader.hpp"
#include "line/message.hpp"

#include <CLI/App.hpp>

#include <functional>
#include <string>
#include <vector>

namespace espalier::cli {

using line::warn;

/// The destination of a command's result: `--json`, and `-o` if the command has it.
struct ResultOptions {
    bool json = false;
    std::string file;
};

void add_json_option(CLI::App& app, ResultOptions& options);
void add_file_option(CLI::App& app, ResultOptions& options, const std::string& placeholder);
/// Fails before any work is done where the result could not be written.
void require_writable(const ResultOptions& options);
/// Requires the same of several files, which must not be one; empty: not asked for.
void require_writable(const std::vector<std::string>& files);

/// Writes the document to the file, if one was asked for; prints it with `--json`, and otherwise
/// what `describe` says of it.
void deliver(const ResultOptions& options, const Json& document,
             const std::function<std::string()>& describe);
/// Delivers a document of any length, whose text is made only if it is needed.
void deliver_text(const ResultOptions& options, const std::function<std::string()>& text,
                  const std::function<std::string()>& describe);
/// Delivers the result of a command that makes a file: prints it or, with `-o`, writes it and says
/// what it is.
void deliver_file(const ResultOptions& options, const std::string& content,
                  const std::string& description);

/// `espalier: wrote plan.svg (12 KiB)` on standard error.
void say_written(const std::string& file);

}  // namespace espalier::cli
