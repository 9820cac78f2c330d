#include "runtime/logic/network_cache.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/sha256.hpp"
#include "network/json.hpp"
#include "runtime/logic/cache_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

namespace espalier::runtime {

namespace {

namespace fs = std::filesystem;

constexpr int version = 1;
constexpr const char* key_name = "x-cache";
constexpr const char* kind_of_file = "hosts";
constexpr const char* notes_extension = ".notes";
/// The document on one line; what is not UTF-8 (a variable may hold anything) is replaced.
std::string line_of(const Json& document) {
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The key as it stands in the file, and as it is hashed.
Json describe(const CacheKey& key) {
    std::vector<std::string> hosts = key.hosts;
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    const Json raw = {{"version", version},
                      {"espalier", ESPALIER_VERSION},
                      {"mpi", key.mpi},
                      {"library", key.library},
                      {"hosts", hosts},
                      {"ranks_per_host", key.shares_hosts ? "several" : "one"},
                      {"transport", key.transport}};
    return Json::parse(line_of(raw));
}

}  // namespace

std::vector<std::string> transport_variables(const Environment& environment) {
    constexpr std::array names = {"FI_PROVIDER",
                                  "I_MPI_FABRICS",
                                  "I_MPI_OFI_PROVIDER",
                                  "MPICH_NETMOD",
                                  "MPIR_CVAR_CH4_NETMOD",
                                  "MPIR_CVAR_OFI_USE_PROVIDER",
                                  "OMPI_MCA_btl",
                                  "OMPI_MCA_btl_tcp_if_exclude",
                                  "OMPI_MCA_btl_tcp_eager_limit",
                                  "OMPI_MCA_btl_tcp_if_include",
                                  "OMPI_MCA_btl_tcp_links",
                                  "OMPI_MCA_mtl",
                                  "OMPI_MCA_pml",
                                  "UCX_NET_DEVICES",
                                  "UCX_RNDV_THRESH",
                                  "UCX_TLS"};
    std::vector<std::string> found;
    for (const char* name : names)
        if (const auto value = environment(name); value && !value->empty())
            found.push_back(fmt::format("{}={}", name, *value));
    return found;
}

std::vector<std::string> site_files(const Environment& environment) {
    const std::string folders = environment("XDG_CONFIG_DIRS").value_or("");
    std::istringstream list(folders.empty() ? "/etc/xdg" : folders);
    std::vector<std::string> files;
    for (std::string folder; std::getline(list, folder, ':');)
        if (fs::path(folder).is_absolute())
            files.push_back(fs::path(folder) / "espalier" / "network.json");
    return files;
}

std::string NetworkCache::path_of(const CacheKey& key) const {
    constexpr std::size_t digits = 32;
    const Json document = describe(key);
    return fs::path(folder_) / fmt::format("{}-{}-{}-{}.json", key.mpi, document.at("hosts").size(),
                                           kind_of_file,
                                           sha256(line_of(document)).substr(0, digits));
}

std::string NetworkCache::notes_of(const CacheKey& key) const {
    return fs::path(path_of(key)).replace_extension(notes_extension);
}

std::optional<NetworkCache::Entry> NetworkCache::find(const CacheKey& key) const {
    if (folder_.empty()) return std::nullopt;
    const std::string path = path_of(key);
    std::error_code error;
    if (fs::status(path, error).type() == fs::file_type::not_found) return std::nullopt;
    std::string text = read_kept(path);
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object()) throw InputError(path, "", "is not JSON");
    const auto of = document.find(key_name);
    // However deep it is, it is compared no deeper than what it should be.
    if (of == document.end() || *of != describe(key))
        throw InputError(path, key_name, "says that it was measured of something else");
    const auto kept_at = fs::last_write_time(path, error);
    const std::chrono::duration<double> age = fs::file_time_type::clock::now() - kept_at;
    Entry entry{path, std::move(text), Seconds(error ? 0 : age.count())};
    // Who measures looks whether they are what it wrote.
    if (fs::is_regular_file(notes_of(key), error)) entry.notes = read_kept(notes_of(key));
    return entry;
}

NetworkCache::Entry NetworkCache::keep(const CacheKey& key, const network::Network& network,
                                       const std::string& notes) const {
    if (folder_.empty())
        throw InputError("ESPALIER_CACHE", "",
                         "no folder for measured networks, and HOME is not set either");
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw InputError(folder_, "", error.message());
    Json document = network::to_json(network);
    document[key_name] = describe(key);
    Entry entry{path_of(key), to_text(document), Seconds(0), notes};
    // Notes of another measurement than the network's would make a worse one of it.
    fs::remove(notes_of(key), error);
    write_file(entry.path, entry.text);
    if (!notes.empty()) write_file(notes_of(key), notes);
    // Names of hosts may be new each time, as containers' are.
    for (fs::path gone : forget_oldest(folder_, kind_of_file))
        fs::remove(gone.replace_extension(notes_extension), error);
    return entry;
}

}  // namespace espalier::runtime
