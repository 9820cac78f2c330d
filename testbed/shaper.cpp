#include "testbed/shaper.hpp"

#include "testbed/wire.hpp"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

namespace espalier::testbed {

namespace {

/// More than one large packet, headers of its frames included.
constexpr double large_packet = 72 * 1024;
/// How late the kernel may look at the queue again without losing rate.
constexpr double lateness_s = 1e-3;
constexpr std::uint32_t most_bytes = 16U << 20;

/// A netlink request under construction.
class Message {
public:
    template <typename T>
    std::size_t put(const T& value) {
        return put_bytes(&value, sizeof value);
    }
    /// Where the attribute starts, for `close`.
    std::size_t open(unsigned short type) { return put(rtattr{.rta_len = 0, .rta_type = type}); }
    void close(std::size_t attribute) {
        const auto length = static_cast<unsigned short>(size_ - attribute);
        std::memcpy(bytes_.data() + attribute, &length, sizeof length);
        size_ = RTA_ALIGN(size_);
    }
    void add(unsigned short type, std::span<const std::byte> value) {
        const std::size_t attribute = open(type);
        put_bytes(value.data(), value.size());
        close(attribute);
    }
    [[nodiscard]] std::span<const std::byte> finish() {
        const auto length = static_cast<std::uint32_t>(size_);
        std::memcpy(bytes_.data(), &length, sizeof length);
        return std::span(bytes_).first(size_);
    }

private:
    std::size_t put_bytes(const void* from, std::size_t count) {
        const std::size_t at = size_;
        std::memcpy(bytes_.data() + at, from, count);
        size_ += count;
        return at;
    }

    std::array<std::byte, 512> bytes_{};
    std::size_t size_ = 0;
};

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

Message queue_request(int device, double rate) {
    Message message;
    message.put(nlmsghdr{.nlmsg_type = RTM_NEWQDISC,
                         .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE});
    message.put(tcmsg{.tcm_family = AF_UNSPEC,
                      .tcm_ifindex = device,
                      .tcm_handle = TC_H_MAKE(1U << 16, 0U),
                      .tcm_parent = TC_H_ROOT});
    constexpr std::string_view kind("tbf\0", 4);
    message.add(TCA_KIND, std::as_bytes(std::span(kind)));
    const std::size_t options = message.open(TCA_OPTIONS);
    const auto rate64 = static_cast<std::uint64_t>(rate);
    tc_tbf_qopt parameters{};
    parameters.rate.linklayer = TC_LINKLAYER_ETHERNET;
    parameters.rate.rate = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(rate64, std::numeric_limits<std::uint32_t>::max()));
    parameters.limit = most_bytes;
    message.add(TCA_TBF_PARMS, bytes_of(parameters));
    message.add(TCA_TBF_RATE64, bytes_of(rate64));
    message.add(TCA_TBF_BURST,
                bytes_of(static_cast<std::uint32_t>(large_packet + rate * lateness_s)));
    message.close(options);
    return message;
}

}  // namespace

FileDescriptor open_shaper() {
    return FileDescriptor(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
}

bool shape_device(int shaper, const char* device, BytesPerSecond rate) {
    ifreq named{};
    std::strncpy(named.ifr_name, device, IFNAMSIZ - 1);
    if (ioctl(shaper, SIOCGIFINDEX, &named) != 0) return false;
    // The kernel counts bytes of IP.
    constexpr double share = static_cast<double>(full_frame - ethernet_overhead) / full_frame;
    Message message = queue_request(named.ifr_ifindex, rate.value * share);
    const auto request = message.finish();
    if (send(shaper, request.data(), request.size(), 0) < 0) return false;
    std::array<std::byte, 1024> buffer{};
    const ssize_t got = recv(shaper, buffer.data(), buffer.size(), 0);
    nlmsghdr header{};
    nlmsgerr answer{};
    if (got < static_cast<ssize_t>(sizeof header + sizeof answer)) return false;
    std::memcpy(&header, buffer.data(), sizeof header);
    std::memcpy(&answer, buffer.data() + sizeof header, sizeof answer);
    return header.nlmsg_type == NLMSG_ERROR && answer.error == 0;
}

}  // namespace espalier::testbed
