#pragma once

#include <mpi.h>

namespace espalier::runtime {

/// `comm` is about to be freed: what ranks still tell each other on it is completed before. MPICH
/// would not delete the program's attributes until then.
void complete_before_the_end(MPI_Comm comm);

/// Leaves `comm` to MPI, because it is about to be duplicated while other calls go on: Open MPI
/// does that by nonblocking collectives on it, which take their tags when they are begun, on each
/// rank at a time of its own. Ours would meet them.
void leave_while_duplicated(MPI_Comm comm);

/// `comm` has come out of one whose calls may have failed on some ranks only: what it has from
/// there, which Open MPI copies, is forgotten.
void begin_anew(MPI_Comm comm);

}  // namespace espalier::runtime
