#include "testbed/descendants.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <vector>

namespace espalier::testbed {

namespace {

std::vector<pid_t> children_but(pid_t spared) {
    std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", getpid()));
    std::vector<pid_t> children;
    for (pid_t pid = 0; file >> pid;)
        if (pid != spared) children.push_back(pid);
    return children;
}

}  // namespace

void end_descendants(pid_t spared) {
    // When one is gone, its children are ours.
    for (auto children = children_but(spared); !children.empty(); children = children_but(spared)) {
        for (const pid_t child : children) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
    }
}

}  // namespace espalier::testbed
