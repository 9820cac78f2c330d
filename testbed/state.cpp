#include "testbed/state.hpp"

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/file_descriptor.hpp"
#include "core/files.hpp"
#include "testbed/agent.hpp"
#include "testbed/system.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace espalier::testbed {

namespace {

constexpr std::size_t hosts_in_a_row = 250;
constexpr std::uint32_t network = (10U << 24) | (77U << 16);

std::string base_folder() {
    const std::string given = environment("XDG_RUNTIME_DIR").value_or("");
    return fmt::format("{}/espalier-testbed-{}", given.empty() ? "/tmp" : given, getuid());
}

/// Throws InputError where it is there and others could put something into it: commands, with all
/// their environment, would go to whoever listens there.
void require_private(const std::string& folder) {
    struct stat found {};
    if (lstat(folder.c_str(), &found) != 0) return;
    if (!S_ISDIR(found.st_mode) || found.st_uid != getuid() ||
        (found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        throw InputError(fmt::format("{}: is not a folder of this user's alone", folder));
}

/// Whether a process of this user's listens there.
bool is_own(int connection) {
    ucred peer{};
    socklen_t bytes = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
           peer.uid == getuid();
}

bool usable_name(const std::string& name) {
    return !name.empty() && name.size() <= 40 && name[0] != '.' && name[0] != '-' &&
           std::ranges::all_of(name, [](char c) {
               return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                      c == '.';
           });
}

}  // namespace

std::string address_of(std::size_t host) {
    return fmt::format("10.77.{}.{}", host / hosts_in_a_row, host % hosts_in_a_row + 1);
}

std::size_t host_at(std::uint32_t address) {
    const std::size_t row = (address >> 8) & 0xff;
    const std::size_t place = address & 0xff;
    if ((address & 0xffff0000U) != network || place < 1 || place > hosts_in_a_row)
        return std::numeric_limits<std::size_t>::max();
    return row * hosts_in_a_row + place - 1;
}

State::State(std::string name)
    : name_(std::move(name)), base_(base_folder()), folder_(base_ + "/" + name_) {
    if (!usable_name(name_))
        throw InputError("--name", "",
                         fmt::format("{:?} is not a name of letters, digits, '-', "
                                     "'_' and '.', at most 40",
                                     name_));
    if (socket().size() >= sizeof(sockaddr_un::sun_path))
        throw InputError(fmt::format("{}: too long a path for a socket", socket()));
    require_private(base_);
}

std::string State::agent() const { return folder_ + "/" + agent_name; }

void State::create(const Topology& topology) const {
    if (FileDescriptor(connect()))
        throw InputError("--name", "", fmt::format("a testbed {} is already up", name_));
    remove();
    if (mkdir(base_.c_str(), 0700) != 0 && errno != EEXIST) fail(base_);
    require_private(base_);
    require(mkdir(folder_.c_str(), 0700), folder_);

    std::string table = "127.0.0.1 localhost\n";
    nlohmann::json hosts = nlohmann::json::array();
    for (std::size_t i = 0; i < topology.hosts.size(); ++i) {
        const Host& host = topology.hosts[i];
        table += fmt::format("{} {}\n", address_of(i), host.name);
        write_file(name_file(host.name), host.name + "\n");
        hosts.push_back({{"name", host.name},
                         {"address", address_of(i)},
                         {"cluster", host.cluster},
                         {"site", host.site}});
    }
    write_file(hosts_file(), table);
    write_file(folder_ + "/hosts.json", hosts.dump());
    std::error_code error;
    std::filesystem::create_symlink(std::filesystem::canonical("/proc/self/exe"), agent(), error);
    if (error) throw InputError(agent(), "", error.message());
}

void State::remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    rmdir(base_.c_str());  // unless there are others
}

int State::connect() const {
    FileDescriptor connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket().c_str(), sizeof address.sun_path - 1);
    if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) <
        0)
        return -1;
    if (!is_own(connection.get()))
        throw InputError(fmt::format("{}: another user listens there", socket()));
    return connection.release();
}

std::vector<HostEntry> State::hosts() const {
    if (!FileDescriptor(connect())) throw InputError(fmt::format("no testbed {} is up", name_));
    std::vector<HostEntry> hosts;
    for (const auto& host : nlohmann::json::parse(read_file(folder_ + "/hosts.json")))
        hosts.push_back({host.at("name"), host.at("address"), host.at("cluster"), host.at("site")});
    return hosts;
}

std::string name_of_testbed(const std::optional<std::string>& option) {
    if (option) return *option;
    const std::string given = environment("ESPALIER_TESTBED").value_or("");
    return given.empty() ? "default" : given;
}

}  // namespace espalier::testbed
