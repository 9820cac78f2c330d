#pragma once

#include "core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace espalier::fuzz {

/// Gives `read` what the fuzzer made up. Whatever that is, a reader either takes it or says in one
/// line what is wrong with it; all else that it might do is a finding.
template <typename Read>
int try_reading(const std::uint8_t* data, std::size_t size, const Read& read) {
    try {
        read(std::string(reinterpret_cast<const char*>(data), size));
    } catch (const InputError& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) __builtin_trap();
    }
    return 0;
}

/// What was read once and written has to come out alike the second time.
inline void require(bool holds) {
    if (!holds) __builtin_trap();
}

}  // namespace espalier::fuzz
