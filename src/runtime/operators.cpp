#include "runtime/operators.hpp"

#include "runtime/failure.hpp"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>
#include <vector>

namespace espalier::runtime {

namespace {

/// Classes of predefined types, as MPI says which operators they go with (MPI 3.1, 5.9.2).
enum class Class { integer, floating, complex, logical, byte, pair, other };

/// Handles of predefined types and operators are the same as long as the process lives, and of
/// nothing else. Tables of them, since a call of 8 bytes would feel a walk along all.
Class class_of(MPI_Datatype type) {
    static const std::unordered_map<MPI_Datatype, Class> classes = [] {
        std::unordered_map<MPI_Datatype, Class> all;
        const auto enter = [&](Class of, std::initializer_list<MPI_Datatype> types) {
            for (MPI_Datatype each : types) all.emplace(each, of);
        };
        enter(Class::integer, {MPI_INT,           MPI_LONG,           MPI_LONG_LONG,
                               MPI_UNSIGNED,      MPI_UNSIGNED_LONG,  MPI_UNSIGNED_LONG_LONG,
                               MPI_SHORT,         MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR,
                               MPI_UNSIGNED_CHAR, MPI_INT8_T,         MPI_INT16_T,
                               MPI_INT32_T,       MPI_INT64_T,        MPI_UINT8_T,
                               MPI_UINT16_T,      MPI_UINT32_T,       MPI_UINT64_T,
                               MPI_AINT,          MPI_OFFSET,         MPI_COUNT,
                               MPI_INTEGER,       MPI_INTEGER4,       MPI_INTEGER8});
        enter(Class::floating, {MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE, MPI_REAL,
                                MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8});
        enter(Class::pair, {MPI_2INT, MPI_DOUBLE_INT, MPI_FLOAT_INT, MPI_LONG_INT, MPI_SHORT_INT,
                            MPI_LONG_DOUBLE_INT, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION});
        enter(Class::complex, {MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
                               MPI_COMPLEX, MPI_DOUBLE_COMPLEX});
        enter(Class::logical, {MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL});
        enter(Class::byte, {MPI_BYTE});
        return all;
    }();
    const auto found = classes.find(type);
    return found == classes.end() ? Class::other : found->second;
}

using Classes = std::vector<Class>;

/// The classes of types that a predefined operator goes with; nullptr for others.
const Classes* taken_by(MPI_Op op) {
    static const Classes numbers{Class::integer, Class::floating, Class::complex};
    static const Classes ordered{Class::integer, Class::floating};
    static const Classes truths{Class::integer, Class::logical};
    static const Classes bits{Class::integer, Class::byte};
    static const std::unordered_map<MPI_Op, Classes> all{{MPI_SUM, numbers},
                                                         {MPI_PROD, numbers},
                                                         {MPI_MAX, ordered},
                                                         {MPI_MIN, ordered},
                                                         {MPI_LAND, truths},
                                                         {MPI_LOR, truths},
                                                         {MPI_LXOR, truths},
                                                         {MPI_BAND, bits},
                                                         {MPI_BOR, bits},
                                                         {MPI_BXOR, bits},
                                                         {MPI_MAXLOC, {Class::pair}},
                                                         {MPI_MINLOC, {Class::pair}},
                                                         {MPI_REPLACE, {}},
                                                         {MPI_NO_OP, {}}};
    const auto found = all.find(op);
    return found == all.end() ? nullptr : &found->second;
}

/// Whether operands may be combined in any order: sums of floating-point numbers round, and which
/// of two zeros, or whether a number that is none, is the greatest depends on who is asked first.
bool is_exact(Class kind, MPI_Datatype type) {
    if (kind == Class::pair)
        return type == MPI_2INT || type == MPI_LONG_INT || type == MPI_SHORT_INT;
    return kind != Class::floating && kind != Class::complex;
}

}  // namespace

bool is_predefined(MPI_Op op) { return taken_by(op) != nullptr; }

Operation look_at(MPI_Op op, MPI_Datatype type) {
    if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL) return {};
    if (const Classes* classes = taken_by(op)) {
        const Class kind = class_of(type);
        const bool usable = std::find(classes->begin(), classes->end(), kind) != classes->end();
        return {usable, false, is_exact(kind, type)};
    }
    int commutative = 0;
    check_handled(PMPI_Op_commutative(op, &commutative));
    return {true, commutative == 0, false};
}

}  // namespace espalier::runtime
