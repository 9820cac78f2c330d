#include "outputs/result.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace espalier::cli {

void add_json_option(CLI::App& app, ResultOptions& options) {
    app.add_flag("--json", options.json, "print the result as JSON, and nothing else");
}

void add_file_option(CLI::App& app, ResultOptions& options, const std::string& placeholder) {
    app.add_option("-o,--output", options.file, "write the result to this file; - prints it")
        ->type_name(placeholder);
}

void require_writable(const ResultOptions& options) {
    if (!options.file.empty()) espalier::require_writable(options.file);
}

void require_writable(const std::vector<std::string>& files) {
    for (auto file = files.begin(); file != files.end(); ++file) {
        if (file->empty()) continue;
        if (std::find(files.begin(), file, *file) != file)
            throw InputError(*file, "", "it can't hold two things at once");
        espalier::require_writable(*file);
    }
}

void deliver(const ResultOptions& options, const Json& document,
             const std::function<std::string()>& describe) {
    deliver_text(
        options, [&] { return to_text(document); }, describe);
}

void deliver_text(const ResultOptions& options, const std::function<std::string()>& text,
                  const std::function<std::string()>& describe) {
    const bool wanted = options.json || !options.file.empty();
    const std::string document = wanted ? text() : std::string();
    if (!options.file.empty()) write_file(options.file, document);
    if (options.file == "-") return;
    std::cout << (options.json ? document : describe()) << std::flush;
    if (!options.file.empty()) say_written(options.file);
}

void deliver_file(const ResultOptions& options, const std::string& content,
                  const std::string& description) {
    if (!options.file.empty()) write_file(options.file, content);
    if (options.file == "-") return;
    std::cout << (options.json || options.file.empty() ? content : description);
}

void say_written(const std::string& file) {
    std::error_code fault;
    const auto size = std::filesystem::file_size(file, fault);
    constexpr Bytes like(1000);  // all files in the same kind of units
    // A pipe or a device has none.
    fmt::print(stderr, "espalier: wrote {}{}\n", file,
               fault ? "" : fmt::format(" ({})", format_bytes(Bytes(size), like)));
}

}  // namespace espalier::cli
