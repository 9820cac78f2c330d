#include "runtime/logic/served_library.hpp"

#include <gmock/gmock.h>

namespace espalier::runtime {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// What libmpi.so.40 and libmpi.so.12 say of themselves.
TEST(ServedLibrary, is_one_of_the_versions_that_were_tried) {
    for (const char* version : {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4",
                                "Open MPI v5.0.7, package: Debian OpenMPI, ident: 5.0.7"})
        EXPECT_THAT(refusal_of_library("openmpi", version), IsEmpty());
    for (const char* version : {"MPICH Version:\t4.0.2", "MPICH Version:      4.2.1"})
        EXPECT_THAT(refusal_of_library("mpich", version), IsEmpty());
    EXPECT_THAT(refusal_of_library("smpi", "SMPI Version 3.32"), IsEmpty());
}

TEST(ServedLibrary, is_none_of_others_which_are_named) {
    for (const char* version :
         {"Open MPI v3.1.3, package: Debian OpenMPI, ident: 3.1.3", "Open MPI v6.0.0",
          "Open MPI v4.0.3, package: Debian OpenMPI", "IBM Spectrum MPI v10.4", "Open MPI v", ""})
        EXPECT_THAT(refusal_of_library("openmpi", version), HasSubstr(version));
    for (const char* version :
         {"MPICH Version:\t3.4.3", "MVAPICH2 Version      :\t2.3.7",
          "MPICH Version:", "Intel(R) MPI Library 2021.9 for Linux* OS", "Open MPI v4.1.4"})
        EXPECT_EQ(refusal_of_library("mpich", version),
                  "the MPI library is '" + std::string(version) +
                      "', this library is for MPICH 4; collectives are left to MPI");
}

}  // namespace
}  // namespace espalier::runtime
