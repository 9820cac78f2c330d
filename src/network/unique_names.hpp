#pragma once

#include <fmt/format.h>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace espalier::network {

/// Names that are each used once: a name that is taken gets `#2`, `#3`, … at its end.
class UniqueNames {
public:
    std::string take(const std::string& name) {
        if (taken_.insert(name).second) return name;
        std::size_t& number = ++last_.try_emplace(name, 1).first->second;
        while (!taken_.insert(fmt::format("{}#{}", name, number)).second) ++number;
        return fmt::format("{}#{}", name, number);
    }

private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, std::size_t> last_;
};

}  // namespace espalier::network
