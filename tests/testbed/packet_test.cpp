#include "testbed/packet.hpp"
#include "testbed/packets.hpp"

#include <gmock/gmock.h>

#include <string>

namespace espalier::testbed {
namespace {

Packet made(const std::vector<std::byte>& bytes) {
    auto packet = packet_of(bytes);
    EXPECT_TRUE(packet.has_value());
    return packet ? std::move(*packet) : Packet{};
}

const std::byte* ip_of(const Packet& packet) { return packet.data.get() + packet_header; }

TEST(PacketTest, counts_the_bytes_of_each_frame_on_the_wire) {
    const Packet whole = made(tcp_packet(3 * 1448 + 100));
    EXPECT_EQ(whole.frames, 4U);
    EXPECT_EQ(whole.frame, 1538U);
    EXPECT_EQ(whole.wire, 3U * 1538 + 100 + tcp_headers + 38);

    const Packet acknowledgement = made(tcp_packet(0));
    EXPECT_EQ(acknowledgement.frames, 1U);
    EXPECT_EQ(acknowledgement.wire, tcp_headers + 38);
}

TEST(PacketTest, a_frame_is_never_shorter_than_ethernet_has_it) {
    std::vector<std::byte> bytes(packet_header + 28);
    bytes[packet_header] = std::byte{0x45};
    EXPECT_EQ(made(bytes).wire, 84U);
}

TEST(PacketTest, takes_ipv4_only) {
    std::vector<std::byte> bytes(packet_header + 60);
    bytes[packet_header] = std::byte{0x60};
    EXPECT_FALSE(packet_of(bytes).has_value());
    EXPECT_FALSE(packet_of(std::vector<std::byte>(5)).has_value());
}

TEST(PacketTest, refuses_large_packets_whose_headers_do_not_fit) {
    auto bytes = tcp_packet(3000);
    bytes[packet_header + 20 + 12] = std::byte{0x10};  // a TCP header of 4 bytes
    EXPECT_FALSE(packet_of(bytes).has_value());
    bytes = tcp_packet(3000);
    bytes.resize(packet_header + 30);
    EXPECT_FALSE(packet_of(bytes).has_value());
}

TEST(PacketTest, pieces_hold_the_payload_in_order_under_right_headers) {
    for (const std::uint32_t frames : {1U, 2U, 3U, 7U}) {
        const auto bytes = tcp_packet(20'001, std::byte{0x99});  // CWR, ACK, PSH, FIN
        const auto pieces = cut(made(bytes), frames);
        std::string payload;
        std::uint32_t wire = 0;
        std::uint16_t identification = 0xfffe;
        for (const Packet& piece : pieces) {
            const std::byte* const ip = ip_of(piece);
            const std::size_t size = piece.size - packet_header;
            EXPECT_LE(piece.frames, frames);
            wire += piece.wire;
            EXPECT_EQ(ntohs(get_at<std::uint16_t>(ip, 2)), size);
            EXPECT_EQ(ntohs(get_at<std::uint16_t>(ip, 4)), identification);
            identification = static_cast<std::uint16_t>(identification + piece.frames);
            EXPECT_EQ(internet_sum(ip, 20), 0xffff);
            EXPECT_EQ(ntohl(get_at<std::uint32_t>(ip, 24)),
                      static_cast<std::uint32_t>(0xfffffff0U + payload.size()));
            EXPECT_EQ(ntohs(get_at<std::uint16_t>(ip, 36)), pseudo_header_sum(ip, size - 20));
            const bool first = payload.empty();
            const bool last = &piece == &pieces.back();
            EXPECT_EQ((ip[33] & std::byte{0x80}) != std::byte{0}, first);
            EXPECT_EQ((ip[33] & std::byte{0x09}) != std::byte{0}, last);
            EXPECT_EQ(piece.data[1] == std::byte{0}, piece.frames == 1);
            payload.append(reinterpret_cast<const char*>(ip) + tcp_headers, size - tcp_headers);
        }
        EXPECT_EQ(payload, std::string(reinterpret_cast<const char*>(bytes.data()) + packet_header +
                                           tcp_headers,
                                       20'001));
        EXPECT_EQ(wire, made(bytes).wire);
    }
}

TEST(PacketTest, a_packet_that_is_small_enough_stays_as_it_is) {
    const auto bytes = tcp_packet(4000);
    const auto pieces = cut(made(bytes), 3);
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(std::memcmp(pieces[0].data.get(), bytes.data(), bytes.size()), 0);
}

}  // namespace
}  // namespace espalier::testbed
