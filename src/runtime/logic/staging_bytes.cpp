#include "runtime/logic/planned_collective.hpp"

#include <algorithm>

namespace espalier::runtime {

namespace {

using schedule::Kind;

class Counter {
public:
    Counter(const RankProgram& program, std::size_t rank, const Signature& signature,
            const BlockSizes& sizes)
        : program_(program),
          rank_(rank),
          signature_(signature),
          sizes_(sizes),
          is_root_(rank == static_cast<std::size_t>(signature.root)) {}

    [[nodiscard]] std::uint64_t count() const {
        std::vector<bool> written(program_.chunks.size(), false);
        std::uint64_t arrives = 0;
        for (const RankProgram::Receive& receive : program_.receives) {
            const auto& message = receive.message;
            for (std::size_t c = 0; c < message.chunks; ++c) written[message.chunk + c] = true;
            if (receive.op == schedule::Op::combine) arrives = std::max(arrives, bytes(message));
        }
        std::uint64_t staged = 0;
        for (std::size_t c = 0; c < program_.chunks.size(); ++c) {
            const RankProgram::Chunk& chunk = program_.chunks[c];
            if (!chunk.empty && is_staged(chunk, written[c])) staged += chunk.units(item(chunk));
        }
        return staged + arrives;
    }

private:
    /// Whether a chunk has no place in what the program brings in or wants.
    [[nodiscard]] bool is_staged(const RankProgram::Chunk& chunk, bool written) const {
        switch (signature_.kind) {
            case Kind::reduce:
                return written && !is_root_;
            case Kind::exscan:
                return written;
            case Kind::reduce_scatter:
                return written && chunk.target != rank_;
            case Kind::scatter:
                return !is_root_ && chunk.target != rank_;
            case Kind::gather:
                return !is_root_ && chunk.source != rank_;
            case Kind::alltoall:
                return chunk.source != rank_ && chunk.target != rank_;
            case Kind::broadcast:
            case Kind::allgather:
            case Kind::allreduce:
            case Kind::barrier:
            case Kind::scan:
                return false;
        }
        return false;
    }

    [[nodiscard]] std::uint64_t item(const RankProgram::Chunk& chunk) const {
        if (sizes_.of_pairs && signature_.kind == Kind::alltoall)
            return (*sizes_.of_pairs)(chunk.source, chunk.target).value;
        if (sizes_.of_ranks &&
            (signature_.kind == Kind::gather || signature_.kind == Kind::allgather))
            return (*sizes_.of_ranks)[chunk.source].value;
        if (sizes_.of_ranks &&
            (signature_.kind == Kind::scatter || signature_.kind == Kind::reduce_scatter))
            return (*sizes_.of_ranks)[chunk.target].value;
        return signature_.bytes.value;
    }

    [[nodiscard]] std::uint64_t bytes(const RankProgram::Message& message) const {
        if (message.segments > 1)
            return program_.run_of(message, item(program_.chunks[message.chunk])).units;
        std::uint64_t sum = 0;
        for (std::size_t c = message.chunk; c < message.chunk + message.chunks; ++c)
            if (!program_.chunks[c].empty)
                sum += program_.chunks[c].units(item(program_.chunks[c]));
        return sum;
    }

    const RankProgram& program_;
    const std::size_t rank_;
    const Signature& signature_;
    const BlockSizes& sizes_;
    const bool is_root_;
};

}  // namespace

std::uint64_t staging_bytes(const RankProgram& program, std::size_t rank,
                            const Signature& signature, const BlockSizes& sizes) {
    return Counter(program, rank, signature, sizes).count();
}

}  // namespace espalier::runtime
