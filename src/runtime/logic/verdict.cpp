#include "runtime/logic/verdict.hpp"

namespace espalier::runtime {

std::string to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::planned:
            return "";
        case Verdict::intercommunicator:
            return "an intercommunicator";
        case Verdict::alone:
            return "only one rank";
        case Verdict::several_worlds:
            return "ranks that were started at different times";
        case Verdict::devices:
            return "some rank may use a GPU";
        case Verdict::never:
            return "ESPALIER_PLAN is never";
        case Verdict::no_network:
            return "no network";
        case Verdict::different_networks:
            return "the network file is not the same everywhere";
        case Verdict::incomplete_network:
            return "links whose costs the network does not have";
        case Verdict::unknown_host:
            return "a host that the network does not have";
        case Verdict::one_host:
            return "all ranks on one host";
        case Verdict::one_cluster:
            return "all ranks in one cluster";
        case Verdict::no_tags:
            return "more communicators than there are tags for";
        case Verdict::duplicated:
            return "duplicated by MPI_Comm_idup";
        case Verdict::asked:
            return "the program asked for MPI's own";
    }
    return "";
}

}  // namespace espalier::runtime
