#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>

namespace espalier::runtime {

/// A host's name as it stands in a message.
class HostName {
public:
    HostName() = default;
    explicit HostName(const std::string& name) {
        std::copy_n(name.begin(), std::min(name.size(), letters_.size() - 1), letters_.begin());
    }
    [[nodiscard]] std::string text() const { return letters_.data(); }

private:
    std::array<char, MPI_MAX_PROCESSOR_NAME> letters_{};
};

}  // namespace espalier::runtime
