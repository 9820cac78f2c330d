#include "testbed/tun.hpp"

#include "testbed/packet.hpp"
#include "testbed/system.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>

namespace espalier::testbed {

namespace {

ifreq request_for(const char* device) {
    ifreq request{};
    std::strncpy(request.ifr_name, device, IFNAMSIZ - 1);
    return request;
}

void change(int socket, unsigned long what, ifreq& request, const char* whatfor) {
    require(ioctl(socket, what, &request), std::string(request.ifr_name) + ": " + whatfor);
}

void set_address(int socket, unsigned long what, const char* address, const char* whatfor) {
    ifreq request = request_for(device_name);
    sockaddr_in value{};
    value.sin_family = AF_INET;
    inet_pton(AF_INET, address, &value.sin_addr);
    std::memcpy(&request.ifr_addr, &value, sizeof value);
    change(socket, what, request, whatfor);
}

void bring_up(int socket, const char* device) {
    ifreq request = request_for(device);
    change(socket, SIOCGIFFLAGS, request, "flags");
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
    change(socket, SIOCSIFFLAGS, request, "up");
}

}  // namespace

FileDescriptor open_tun(const std::string& address) {
    FileDescriptor device(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    require(device.get(), "/dev/net/tun, which --carrier kernel does without");
    ifreq request = request_for(device_name);
    request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
    change(device.get(), TUNSETIFF, request, "no such device can be made");
    int header = packet_header;
    require(ioctl(device.get(), TUNSETVNETHDRSZ, &header), "TUNSETVNETHDRSZ");
    constexpr unsigned long offload = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO_ECN;
    require(ioctl(device.get(), TUNSETOFFLOAD, offload), "TUNSETOFFLOAD");

    const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    require(socket.get(), "socket");
    request = request_for(device_name);
    request.ifr_mtu = 1500;
    change(socket.get(), SIOCSIFMTU, request, "MTU");
    set_address(socket.get(), SIOCSIFADDR, address.c_str(), "address");
    set_address(socket.get(), SIOCSIFNETMASK, "255.255.0.0", "network mask");
    bring_up(socket.get(), "lo");
    bring_up(socket.get(), device_name);
    return device;
}

}  // namespace espalier::testbed
