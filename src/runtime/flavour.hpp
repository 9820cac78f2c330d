#pragma once

namespace espalier::runtime {

/// How the MPI library that this is built for moves messages.
struct Flavour {
#ifdef ESPALIER_MPI_SMPI
    /// Messages that are under way at once share a link instead of queueing for it, and slow each
    /// other down: a send has to wait for its turn by the clock.
    static constexpr bool paced = true;
#else
    static constexpr bool paced = false;
#endif
#ifdef ESPALIER_MPI_MPICH
    /// It refuses input and output that are the same memory; the others are right nevertheless.
    static constexpr bool refuses_aliases = true;
#else
    static constexpr bool refuses_aliases = false;
#endif
};

}  // namespace espalier::runtime
