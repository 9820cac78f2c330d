#pragma once

#include "doctor/facts.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace espalier::doctor {

/// The number that an IPv4 address is; 0 where the text is none.
[[nodiscard]] std::uint32_t number_of(const std::string& address);

/// First address and length of the subnet that an address is in.
[[nodiscard]] std::pair<std::uint32_t, unsigned> subnet_of(const Address& address);

/// Whether an address lies in a subnet written as `10.0.0.0/8`; false where that is none.
[[nodiscard]] bool lies_in(const std::string& address, const std::string& subnet);

/// The addresses of a host, loopback's aside.
[[nodiscard]] std::vector<std::string> addresses_of(const Host& host);
/// How many hosts have each address, loopback's aside.
[[nodiscard]] std::map<std::string, int> bearers_of(const std::vector<Host>& hosts);

}  // namespace espalier::doctor
