#include "core/environment.hpp"

#include <cstdlib>

namespace espalier {

std::optional<std::string> environment(const std::string& name) {
    const char* value = ::secure_getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

}  // namespace espalier
