#include "runtime/call_task.hpp"

#include "runtime/failure.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

#include <mpi.h>

#include <exception>
#include <string>

namespace espalier::runtime {

bool CallTask::advance() noexcept {
    int code = MPI_SUCCESS;
    bool is_over = true;
    try {
        is_over = step();
    } catch (const MpiFailure& failure) {
        code = failure.code;
    } catch (const std::exception& error) {
        (void)problem_of([&] { process_.log().warn(std::string("MPI: ") + error.what()); });
        code = MPI_ERR_INTERN;
    }
    if (is_over) end(code);
    return is_over;
}

}  // namespace espalier::runtime
