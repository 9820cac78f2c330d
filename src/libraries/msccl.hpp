#pragma once

#include "schedule/schedule.hpp"

#include <string>

namespace espalier::libraries {

/// The schedule as a program for MSCCL, which NCCL's and RCCL's executors run (the XML of
/// msccl-tools): for each rank the blocks of threads that send to, or receive from, one other rank,
/// with what each step waits for.
///
/// MSCCL divides an operand, or each block, into parts of one size: chunks that differ are rounded
/// to such parts. It cuts messages into segments by itself, so that a schedule's segments are left
/// out, as are messages that only coordinate. What a rank adds up stands in its output, or in
/// scratch memory; inputs stay as they are. Throws InputError naming `where` for what is not
/// between ranks, not a broadcast, reduce, allreduce, allgather, reduce-scatter or alltoall of
/// equal blocks, or has more than MSCCL has room for.
[[nodiscard]] std::string msccl_program(const schedule::Schedule& schedule,
                                        const std::string& where);

}  // namespace espalier::libraries
