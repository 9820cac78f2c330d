#include "measure/method/train_port.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <thread>

namespace espalier::measure {
namespace {

constexpr std::uint32_t number = 7;

/// A connection of this process, to itself, over 127.0.0.1, as MPI has them to other hosts.
class Connection {
public:
    Connection() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const FileDescriptor listening(socket(AF_INET, SOCK_STREAM, 0));
        socklen_t size = sizeof address;
        auto* const place = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(bind(listening.get(), place, size), 0);
        EXPECT_EQ(listen(listening.get(), 1), 0);
        EXPECT_EQ(getsockname(listening.get(), place, &size), 0);
        one_ = FileDescriptor(socket(AF_INET, SOCK_STREAM, 0));
        EXPECT_EQ(connect(one_.get(), place, size), 0);
        other_ = FileDescriptor(accept(listening.get(), nullptr, nullptr));
    }

private:
    FileDescriptor one_;
    FileDescriptor other_;
};

/// The station of a port that is reached at this address.
TrainStation station_at(TrainPort& port, std::uint32_t address) {
    TrainStation station = port.station();
    station.addresses = {htonl(address)};
    return station;
}

/// The rate of a train from host 0, whose port is the first, to host 1, once it has come; 0 if none
/// comes.
double rate_of_train(TrainPort& from, TrainPort& to) {
    from.depart(1, number);
    for (int look = 0; look < 100; ++look) {
        to.take_in();
        if (const double rate = to.rate(0, number); rate > 0) return rate;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return 0;
}

class Trains : public testing::Test {
protected:
    void know(const TrainStation& there) {
        here_.know({station_at(here_, INADDR_LOOPBACK - 1), there}, 0);
        there_.know({{}, there}, 1);
    }
    TrainPort here_;
    TrainPort there_;
};

TEST_F(Trains, go_where_tcp_goes_and_tell_how_fast_they_came) {
    const Connection connection;
    know(station_at(there_, INADDR_LOOPBACK));
    EXPECT_GT(rate_of_train(here_, there_), 1e6);
    EXPECT_EQ(there_.rate(1, number), 0);
    EXPECT_EQ(there_.rate(0, number + 1), 0);
}

TEST_F(Trains, go_nowhere_else) {
    const TrainStation there = station_at(there_, INADDR_LOOPBACK);
    know(there);
    EXPECT_EQ(rate_of_train(here_, there_), 0) << "no TCP, as over another kind of network";
}

TEST_F(Trains, go_to_no_address_that_several_hosts_have) {
    const Connection connection;
    const TrainStation there = station_at(there_, INADDR_LOOPBACK);
    here_.know({station_at(here_, INADDR_LOOPBACK), there}, 0);
    there_.know({{}, there}, 1);
    EXPECT_EQ(rate_of_train(here_, there_), 0);
}

TEST_F(Trains, that_are_another_ones_do_not_count) {
    const Connection connection;
    TrainStation there = station_at(there_, INADDR_LOOPBACK);
    there_.know({{}, there}, 1);
    there.password ^= 1U;
    here_.know({station_at(here_, INADDR_LOOPBACK - 1), there}, 0);
    EXPECT_EQ(rate_of_train(here_, there_), 0);
}

TEST_F(Trains, neither_leave_nor_come_where_a_port_is_closed) {
    const Connection connection;
    know(station_at(there_, INADDR_LOOPBACK));
    here_.close();
    EXPECT_EQ(rate_of_train(here_, there_), 0);
}

}  // namespace
}  // namespace espalier::measure
