#pragma once

#include "espalier/espalier.h"
#include "frontend/problem.hpp"
#include "frontend/running_program.hpp"
#include "network/network.hpp"
#include "schedule/timeline.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/// What stands behind a handle; all of it is made before anybody sees the handle, so that threads
/// may share it.
struct espalier_network {
    espalier_network(espalier::network::Network value, std::string called);

    espalier::network::Network network;
    std::string name;  ///< in errors
    std::string fingerprint;
    std::string json;
    std::vector<std::string> nodes;
};

struct espalier_plan {
    espalier::schedule::Plan plan;
    std::string json;
    std::string name;  ///< in errors
    std::string collective = std::string(name_of(plan.schedule.collective.kind));
    std::string scope = std::string(name_of(plan.scope));
};

struct espalier_run {
    espalier::frontend::KnownRun known;
};

namespace espalier::c {

/// Does `work`, and makes what it throws a status and this thread's last error.
[[nodiscard]] espalier_status guarded(const std::function<void()>& work) noexcept;

/// An argument that may not be null. Throws InputError naming it.
template <typename T>
T& required(T* argument, const char* name);

[[noreturn]] void refuse_null(const char* name);

template <typename T>
T& required(T* argument, const char* name) {
    if (argument == nullptr) refuse_null(name);
    return *argument;
}

}  // namespace espalier::c
