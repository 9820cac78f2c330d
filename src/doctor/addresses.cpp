#include "doctor/addresses.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace espalier::doctor {

namespace {

std::uint32_t mask_of(unsigned prefix) {
    constexpr unsigned bits = 32;
    return prefix == 0 ? 0 : ~std::uint32_t{0} << (bits - std::min(prefix, bits));
}

}  // namespace

std::uint32_t number_of(const std::string& address) {
    in_addr number{};
    return inet_pton(AF_INET, address.c_str(), &number) == 1 ? ntohl(number.s_addr) : 0;
}

std::pair<std::uint32_t, unsigned> subnet_of(const Address& address) {
    return {number_of(address.text) & mask_of(address.prefix), address.prefix};
}

bool lies_in(const std::string& address, const std::string& subnet) {
    const std::size_t slash = subnet.find('/');
    unsigned prefix = 0;
    if (slash == std::string::npos || number_of(subnet.substr(0, slash)) == 0) return false;
    const auto [end, error] =
        std::from_chars(subnet.data() + slash + 1, subnet.data() + subnet.size(), prefix);
    if (error != std::errc() || end != subnet.data() + subnet.size()) return false;
    return subnet_of({address, prefix}) == subnet_of({subnet.substr(0, slash), prefix});
}

std::vector<std::string> addresses_of(const Host& host) {
    std::vector<std::string> found;
    for (const Interface& card : host.interfaces)
        for (const Address& address : card.addresses)
            if (!card.loopback) found.push_back(address.text);
    return found;
}

std::map<std::string, int> bearers_of(const std::vector<Host>& hosts) {
    std::map<std::string, int> bearers;
    for (const Host& host : hosts) {
        const std::vector<std::string> own = addresses_of(host);
        for (const std::string& address : std::set<std::string>(own.begin(), own.end()))
            ++bearers[address];
    }
    return bearers;
}

}  // namespace espalier::doctor
