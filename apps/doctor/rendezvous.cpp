#include "rendezvous.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>

namespace espalier::apps {

bool leave_word(const std::string& name, const std::string& word) {
    return word.size() < MPI_MAX_PORT_NAME &&
           MPI_Publish_name(name.c_str(), MPI_INFO_NULL, word.c_str()) == MPI_SUCCESS;
}

std::string find_word(const std::string& name, double patience_s) {
    constexpr useconds_t pause_us = 50'000;
    const double until = MPI_Wtime() + patience_s;
    std::array<char, MPI_MAX_PORT_NAME + 1> word{};
    do {
        if (MPI_Lookup_name(name.c_str(), MPI_INFO_NULL, word.data()) == MPI_SUCCESS)
            return word.data();
        usleep(pause_us);
    } while (MPI_Wtime() < until);
    return {};
}

std::string tell_all(const std::string& word) {
    std::array<char, 1024> text{};
    word.copy(text.data(), text.size() - 1);
    MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    return text.data();
}

}  // namespace espalier::apps
