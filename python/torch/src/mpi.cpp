#include "mpi.hpp"

#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace espalier::torch {

namespace {

bool is_ours_to_end = false;

}  // namespace

void refuse(const std::string& why) { throw std::runtime_error("espalier: " + why); }

void check(int code) {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    std::string line(text.data(), static_cast<std::size_t>(length));
    line = line.substr(0, line.find('\n'));
    refuse(line);
}

void begin_mpi() {
    int finalised = 0;
    int initialised = 0;
    MPI_Finalized(&finalised);
    if (finalised != 0) refuse("MPI is finalised already");
    MPI_Initialized(&initialised);
    int provided = MPI_THREAD_SINGLE;
    if (initialised == 0) {
        check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
        is_ours_to_end = true;
    } else {
        check(MPI_Query_thread(&provided));
    }
    if (provided < MPI_THREAD_MULTIPLE)
        refuse("MPI was initialised without MPI_THREAD_MULTIPLE, which groups of torch need");
}

void end_mpi() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (is_ours_to_end && finalised == 0) MPI_Finalize();
}

int world_rank() {
    int rank = 0;
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    return rank;
}

int world_size() {
    int size = 0;
    check(MPI_Comm_size(MPI_COMM_WORLD, &size));
    return size;
}

Communicator::Communicator(MPI_Comm handle) : handle_(handle) {
    check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN));
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}

Communicator::~Communicator() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (handle_ != MPI_COMM_NULL && finalised == 0) MPI_Comm_free(&handle_);
}

Communicator Communicator::duplicate() const {
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(handle_, &copy));
    return Communicator(copy);
}

int count_of(std::int64_t elements) {
    if (elements > std::numeric_limits<int>::max())
        refuse(std::to_string(elements) + " elements are more than the 2^31 - 1 of one call");
    return static_cast<int>(elements);
}

}  // namespace espalier::torch
