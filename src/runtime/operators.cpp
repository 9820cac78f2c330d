#include "runtime/operators.hpp"

#include "runtime/failure.hpp"

#include <algorithm>
#include <initializer_list>
#include <type_traits>

namespace espalier::runtime {

namespace {

/// Classes of predefined types, as MPI says which operators they go with (MPI 3.1, 5.9.2).
enum class Class { integer, floating, complex, logical, byte, pair, other };

template <typename Handle>
bool is_one_of(Handle handle, std::initializer_list<std::type_identity_t<Handle>> handles) {
    return std::find(handles.begin(), handles.end(), handle) != handles.end();
}

Class class_of(MPI_Datatype type) {
    if (is_one_of(type, {MPI_INT,           MPI_LONG,           MPI_LONG_LONG,
                         MPI_UNSIGNED,      MPI_UNSIGNED_LONG,  MPI_UNSIGNED_LONG_LONG,
                         MPI_SHORT,         MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR,
                         MPI_UNSIGNED_CHAR, MPI_INT8_T,         MPI_INT16_T,
                         MPI_INT32_T,       MPI_INT64_T,        MPI_UINT8_T,
                         MPI_UINT16_T,      MPI_UINT32_T,       MPI_UINT64_T,
                         MPI_AINT,          MPI_OFFSET,         MPI_COUNT,
                         MPI_INTEGER,       MPI_INTEGER4,       MPI_INTEGER8}))
        return Class::integer;
    if (is_one_of(type, {MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION,
                         MPI_REAL4, MPI_REAL8}))
        return Class::floating;
    if (is_one_of(type, {MPI_2INT, MPI_DOUBLE_INT, MPI_FLOAT_INT, MPI_LONG_INT, MPI_SHORT_INT,
                         MPI_LONG_DOUBLE_INT, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION}))
        return Class::pair;
    if (is_one_of(type, {MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX,
                         MPI_DOUBLE_COMPLEX}))
        return Class::complex;
    if (is_one_of(type, {MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL})) return Class::logical;
    if (type == MPI_BYTE) return Class::byte;
    return Class::other;
}

bool is_predefined(MPI_Op op) {
    return is_one_of(op, {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR,
                          MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP});
}

bool go_together(MPI_Op op, Class type) {
    if (op == MPI_SUM || op == MPI_PROD)
        return type == Class::integer || type == Class::floating || type == Class::complex;
    if (op == MPI_MAX || op == MPI_MIN) return type == Class::integer || type == Class::floating;
    if (is_one_of(op, {MPI_LAND, MPI_LOR, MPI_LXOR}))
        return type == Class::integer || type == Class::logical;
    if (is_one_of(op, {MPI_BAND, MPI_BOR, MPI_BXOR}))
        return type == Class::integer || type == Class::byte;
    if (op == MPI_MAXLOC || op == MPI_MINLOC) return type == Class::pair;
    return false;
}

/// Whether operands may be combined in any order: sums of floating-point numbers round, and which
/// of two zeros, or whether a number that is none, is the greatest depends on who is asked first.
bool is_exact(Class kind, MPI_Datatype type) {
    if (kind == Class::pair) return is_one_of(type, {MPI_2INT, MPI_LONG_INT, MPI_SHORT_INT});
    return kind != Class::floating && kind != Class::complex;
}

}  // namespace

Operation look_at(MPI_Op op, MPI_Datatype type) {
    if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL) return {};
    if (is_predefined(op)) {
        const Class kind = class_of(type);
        return {go_together(op, kind), false, is_exact(kind, type)};
    }
    int commutative = 0;
    check_handled(PMPI_Op_commutative(op, &commutative));
    return {true, commutative == 0, false};
}

}  // namespace espalier::runtime
