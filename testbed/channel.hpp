#pragma once

#include "core/file_descriptor.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace espalier::testbed {

/// What a client says first on the keeper's socket.
struct Greeting {
    enum class Kind : std::uint32_t { command = 1, stop = 2, change = 3 };
    Kind kind = Kind::command;
    std::uint32_t number = 0;  ///< a command's host; a change's bytes of words that follow
};

/// Words with a NUL after each.
[[nodiscard]] std::string join_by_nul(const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string> split_at_nul(const std::string& text);

/// A command to run on a host, as if it were run where the client is.
struct Request {
    std::string folder;
    std::vector<std::string> words;
    std::vector<std::string> environment;  ///< NAME=value
    std::vector<FileDescriptor> streams;   ///< standard input, output and error
};

/// One message with descriptors over a Unix socket. False, and errno says why, if it can't be sent.
[[nodiscard]] bool send_message(int socket, std::span<const char> text,
                                std::span<const int> descriptors);
/// The first message, or what fits into `most`; empty at the end of the stream. Descriptors that
/// come with it are close-on-exec.
[[nodiscard]] std::string receive_message(int socket, std::size_t most,
                                          std::vector<FileDescriptor>& descriptors);

/// What follows the greeting. Throws where the other end is gone.
void send_request(int socket, const Request& request, std::span<const int> streams);
/// nullopt from a client that is gone, or speaks otherwise.
[[nodiscard]] std::optional<Request> receive_request(int socket);

}  // namespace espalier::testbed
