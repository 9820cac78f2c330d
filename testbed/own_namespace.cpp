#include "testbed/own_namespace.hpp"

#include "testbed/system.hpp"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace espalier::testbed {

namespace {

constexpr const char* refused =
    "neither root nor a user whom this kernel lets make user namespaces";

std::array<__user_cap_data_struct, 2> capabilities(__user_cap_header_struct& header) {
    header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, 2> sets{};
    require(static_cast<int>(syscall(SYS_capget, &header, sets.data())), "capabilities");
    return sets;
}

/// Programs on the hosts may do to their own network what root may.
void pass_on_capabilities() {
    __user_cap_header_struct header{};
    auto sets = capabilities(header);
    for (auto& set : sets) set.inheritable = set.permitted;
    (void)!syscall(SYS_capset, &header, sets.data());
    for (const unsigned long number :
         {CAP_NET_ADMIN + 0UL, CAP_NET_RAW + 0UL, CAP_NET_BIND_SERVICE + 0UL})
        (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0UL, 0UL);
}

}  // namespace

void enter_own_namespace() {
    __user_cap_header_struct header{};
    const auto sets = capabilities(header);
    constexpr std::uint32_t needed = 1U << CAP_SYS_ADMIN | 1U << CAP_NET_ADMIN;
    if ((sets[0].effective & needed) == needed) return;

    const uid_t user = geteuid();
    const gid_t group = getegid();
    require(unshare(CLONE_NEWUSER), refused);
    if (!put("/proc/self/uid_map", fmt::format("{} {} 1", user, user))) fail(refused);
    (void)put("/proc/self/setgroups", "deny");
    if (!put("/proc/self/gid_map", fmt::format("{} {} 1", group, group))) fail(refused);
    pass_on_capabilities();
}

}  // namespace espalier::testbed
