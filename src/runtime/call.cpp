#include "runtime/call.hpp"

#include "runtime/operators.hpp"

#include <algorithm>

namespace espalier::runtime {

Question Question::refused(const char* reason) {
    Question question;
    question.refusal = reason;
    return question;
}

Question Question::about(schedule::Kind kind, std::optional<std::uint64_t> bytes, int root) {
    Question question;
    question.signature.kind = kind;
    question.signature.root = root;
    if (!bytes || *bytes == 0) {
        question.refusal = "no bytes";
    } else {
        question.bytes = Bytes(*bytes);
        question.signature.bytes = size_class(question.bytes);
    }
    return question;
}

Question Question::direct(schedule::Kind kind, int root) {
    Question question;
    question.signature.kind = kind;
    question.signature.root = root;
    question.signature.direct = question.signature.uneven = true;
    return question;
}

Question Question::of_blocks(schedule::Kind kind, const Integers& counts, int ranks,
                             MPI_Datatype type) {
    const auto all = static_cast<std::size_t>(ranks);
    std::int64_t least = counts[0];
    std::int64_t most = counts[0];
    for (std::size_t rank = 1; rank < all; ++rank) {
        least = std::min(least, counts[rank]);
        most = std::max(most, counts[rank]);
    }
    if (least < 0) return refused(wrong_arguments);
    Question question = about(kind, message_bytes(most, type));
    if (question.refusal != nullptr || least == most) return question;
    question.signature.uneven = true;
    const std::uint64_t element = question.bytes.value / static_cast<std::uint64_t>(most);
    auto blocks = std::make_shared<std::vector<Bytes>>();
    for (std::size_t rank = 0; rank < all; ++rank)
        blocks->push_back(Bytes(static_cast<std::uint64_t>(counts[rank]) * element));
    question.blocks = std::move(blocks);
    return question;
}

void Question::combine(MPI_Op op, MPI_Datatype type) {
    if (refusal != nullptr) return;
    const Operation operation = look_at(op, type);
    if (!operation.usable) refusal = "an operator and a type that MPI may not take together";
    signature.ordered = operation.ordered;
    signature.exact = operation.exact;
}

}  // namespace espalier::runtime
