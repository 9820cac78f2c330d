#pragma once

#include "core/units.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace espalier::directory {

/// The host and what else identifies a server, taken apart.
struct HttpAddress {
    std::string url;   ///< with user info, without query, fragment and a slash at its end
    std::string name;  ///< the same without user info: for people
};

/// Reads `http[s]://[user:password@]host[:port][/path]`. Throws InputError naming the text, less
/// what may be a password.
[[nodiscard]] HttpAddress parse_http_address(const std::string& text);

/// An URL as it may be shown: what stands before an @ may be a password.
[[nodiscard]] std::string without_user(const std::string& url);

/// The most that an answer may take.
struct HttpLimits {
    Seconds connect{5};
    Seconds total{30};  ///< from the name's look-up to the last byte
    std::size_t bytes = std::size_t{64} << 20U;
};

struct HttpAnswer {
    long status = 0;
    std::string type;  ///< of its content, as the server calls it
    std::string body;
};

/// Gets what stands under `path_and_query` of a server, over one connection as long as it lasts.
/// Follows a few redirections. For one thread at a time.
class HttpClient {
public:
    HttpClient(HttpAddress address, const HttpLimits& limits);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Gets a page, whatever the status of the answer. Throws InputError naming the server if there
    /// is none, or it does not answer in time, or cuts its answer off, or never ends it.
    [[nodiscard]] HttpAnswer get(const std::string& path_and_query) const;

    [[nodiscard]] const HttpAddress& address() const { return address_; }

private:
    struct Handle;
    HttpAddress address_;
    HttpLimits limits_;
    std::unique_ptr<Handle> handle_;
};

/// The text as it may stand in the query of a URL: everything but letters, digits and `-._~` as
/// %XX.
[[nodiscard]] std::string percent_encoded(const std::string& text);
/// The reverse; a `+` stands for itself. Throws InputError naming `where` for a bad %XX.
[[nodiscard]] std::string percent_decoded(const std::string& text, const std::string& where);

}  // namespace espalier::directory
