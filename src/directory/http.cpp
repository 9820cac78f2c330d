#include "directory/http.hpp"

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>

namespace espalier::directory {

namespace {

constexpr long most_redirections = 5;

using UrlHandle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

/// A text that curl made, which is ours from here on.
std::string taken(char* text, std::optional<std::size_t> length = {}) {
    if (text == nullptr) throw std::bad_alloc();
    const std::unique_ptr<char, decltype(&curl_free)> owner(text, &curl_free);
    return length ? std::string(text, *length) : std::string(text);
}

/// A part of an URL as text; empty where it has none.
std::string part(CURLU* url, CURLUPart which) {
    char* text = nullptr;
    if (curl_url_get(url, which, &text, 0) != CURLUE_OK) return {};
    return taken(text);
}

/// The place to which an answer goes, as long as there is room.
struct Sink {
    std::string* body;
    std::size_t most;
    bool overflowed = false;
};

std::size_t take(char* bytes, std::size_t size, std::size_t count, void* sink) {
    auto& into = *static_cast<Sink*>(sink);
    const std::size_t length = size * count;
    if (length > into.most - into.body->size()) {
        into.overflowed = true;
        return 0;
    }
    into.body->append(bytes, length);
    return length;
}

/// The time in whole milliseconds, at least one, since 0 means no limit to libcurl.
long milliseconds(Seconds time) { return std::max(1L, std::lround(time.value * 1e3)); }

std::string problem_of(CURL* curl, CURLcode code, const Sink& sink, const HttpLimits& limits,
                       std::string_view detail) {
    if (sink.overflowed)
        return fmt::format("its answer is longer than {}", format_bytes(Bytes(limits.bytes)));
    if (code == CURLE_OPERATION_TIMEDOUT) {
        curl_off_t connected = 0;
        curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &connected);
        return connected > 0
                   ? fmt::format("no whole answer within {}", format_seconds(limits.total))
                   : fmt::format("no connection within {}",
                                 format_seconds(std::min(limits.connect, limits.total)));
    }
    if (code == CURLE_COULDNT_CONNECT) {
        long fault = 0;
        curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &fault);
        return fmt::format("can't be reached{}{}", fault == 0 ? "" : ": ",
                           fault == 0 ? "" : std::strerror(static_cast<int>(fault)));
    }
    if (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR) return "its answer was cut off";
    if (code == CURLE_GOT_NOTHING) return "it hangs up without an answer";
    long redirections = 0;
    char* url = nullptr;
    curl_easy_getinfo(curl, CURLINFO_REDIRECT_COUNT, &redirections);
    curl_easy_getinfo(curl, CURLINFO_EFFECTIVE_URL, &url);
    if (code == CURLE_UNSUPPORTED_PROTOCOL && redirections > 0 && url != nullptr)
        return fmt::format("redirects to {}, which is not followed", without_user(url));
    if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY)
        return "its answer is not HTTP";
    return detail.empty() ? curl_easy_strerror(code) : std::string(detail);
}

}  // namespace

std::string without_user(const std::string& url) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string::npos) return url;
    const std::size_t host = scheme + 3;
    const std::size_t end = std::min(url.find_first_of("/?#", host), url.size());
    const std::size_t at = url.substr(0, end).rfind('@');
    return at == std::string::npos || at < host ? url : url.substr(0, host) + url.substr(at + 1);
}

HttpAddress parse_http_address(const std::string& text) {
    const UrlHandle url(curl_url(), &curl_url_cleanup);
    if (url == nullptr) throw std::bad_alloc();
    const CURLUcode fault = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0);
    if (fault != CURLUE_OK)
        throw InputError(
            without_user(text), "",
            fmt::format("is not an URL such as http://host:9090: {}", curl_url_strerror(fault)));
    const std::string scheme = part(url.get(), CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https")
        throw InputError(without_user(text), "", "an URL of http or https was expected");
    if (!part(url.get(), CURLUPART_FRAGMENT).empty())
        throw InputError(without_user(text), "", "an URL with a # makes no sense here");
    curl_url_set(url.get(), CURLUPART_QUERY, nullptr, 0);

    HttpAddress address;
    address.url = part(url.get(), CURLUPART_URL);
    curl_url_set(url.get(), CURLUPART_USER, nullptr, 0);
    curl_url_set(url.get(), CURLUPART_PASSWORD, nullptr, 0);
    address.name = part(url.get(), CURLUPART_URL);
    for (std::string* some : {&address.url, &address.name})
        while (some->ends_with('/')) some->pop_back();
    return address;
}

struct HttpClient::Handle {
    CURL* curl = curl_easy_init();
    std::array<char, CURL_ERROR_SIZE> detail{};

    Handle() {
        if (curl == nullptr) throw std::bad_alloc();
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { curl_easy_cleanup(curl); }
};

HttpClient::HttpClient(HttpAddress address, const HttpLimits& limits)
    : address_(std::move(address)), limits_(limits), handle_(std::make_unique<Handle>()) {
    CURL* curl = handle_->curl;
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    // What was asked for with encryption, a password perhaps, is not to go on without.
    const bool is_encrypted = address_.url.starts_with("https:");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, is_encrypted ? "https" : "http,https");
    // The command curl heeds this variable, and so does OpenSSL; libcurl by itself does not.
    if (const auto authorities = environment("SSL_CERT_FILE"))
        curl_easy_setopt(curl, CURLOPT_CAINFO, authorities->c_str());
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, most_redirections);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    // Not to wait at the end for a look-up of a name that was given up.
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(limits_.connect));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds(limits_.total));
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "espalier/" ESPALIER_VERSION);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, handle_->detail.data());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take);
}

HttpClient::~HttpClient() = default;

HttpAnswer HttpClient::get(const std::string& path_and_query) const {
    CURL* curl = handle_->curl;
    HttpAnswer answer;
    Sink sink{&answer.body, limits_.bytes};
    const std::string url = address_.url + path_and_query;
    handle_->detail.front() = '\0';
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sink);
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK)
        throw InputError(address_.name, "",
                         problem_of(curl, code, sink, limits_, handle_->detail.data()));
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
    const char* type = nullptr;
    curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
    if (type != nullptr) answer.type = type;
    return answer;
}

std::string percent_encoded(const std::string& text) {
    return taken(curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size())));
}

std::string percent_decoded(const std::string& text, const std::string& where) {
    constexpr const char* digits = "0123456789abcdefABCDEF";
    for (std::size_t i = text.find('%'); i < text.size(); i = text.find('%', i + 3))
        if (text.find_first_not_of(digits, i + 1) < i + 3 || i + 3 > text.size())
            throw InputError(where, "",
                             fmt::format("'{}' has a % without two digits: write %25 for one "
                                         "that means itself",
                                         text));
    int length = 0;
    char* const decoded =
        curl_easy_unescape(nullptr, text.data(), static_cast<int>(text.size()), &length);
    return taken(decoded, static_cast<std::size_t>(length));
}

}  // namespace espalier::directory
