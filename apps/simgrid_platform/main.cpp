#include "platform.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "network/json.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>

/// Prints the platform in FILE as a network of model `links`: espalier-simgrid-platform FILE
/// [PATTERN]... What it says of what is wrong is what `espalier convert` shall say.
int main(int count, char** words) {
    using espalier::ExitStatus;
    const auto complain = [](ExitStatus status, const char* line) {
        fmt::print(stderr, "espalier: {}\n", line);
        return static_cast<int>(status);
    };
    try {
        if (count < 2) throw espalier::InputError("which platform?");
        const espalier::network::Network network(
            espalier::simgrid_platform::read_platform(words[1], {words + 2, words + count}),
            espalier::Json{{"by", "SimGrid"}}, words[1]);
        std::cout << espalier::to_text(espalier::network::to_json(network)) << std::flush;
        return static_cast<int>(std::cout ? ExitStatus::done : ExitStatus::bad_input);
    } catch (const espalier::Error& error) {
        return complain(error.status(), error.what());
    } catch (const std::exception& error) {
        return complain(ExitStatus::internal_fault, error.what());
    }
}
