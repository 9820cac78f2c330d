#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace espalier::runtime {

/// Memory that calls borrow while they last. What comes back is kept for the next ones, up to so
/// many bytes in all; what is lent is not limited. Threads may share it.
class Staging {
    struct Block {
        std::unique_ptr<std::byte[]> memory;
        std::size_t size = 0;
    };

public:
    /// Memory that is lent, aligned for any type; it is given back when the loan is destroyed.
    class Loan {
    public:
        Loan() = default;
        Loan(Staging& owner, Block block) : owner_(&owner), block_(std::move(block)) {}
        Loan(Loan&& other) noexcept = default;
        Loan& operator=(Loan&& other) noexcept;
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan() { give_back(); }

        [[nodiscard]] std::byte* data() const { return block_.memory.get(); }
        void give_back();
        /// Leaves it to MPI for good: what is not over may still read it.
        void abandon() { static_cast<void>(block_.memory.release()); }

    private:
        Staging* owner_ = nullptr;
        Block block_;
    };

    explicit Staging(std::uint64_t keeps) : keeps_(keeps) {}

    /// Lends at least so many bytes of any content. Throws std::bad_alloc.
    [[nodiscard]] Loan borrow(std::size_t bytes);
    [[nodiscard]] std::uint64_t keeps() const { return keeps_; }

private:
    void keep(Block block);

    const std::uint64_t keeps_;
    std::mutex mutex_;
    std::vector<Block> kept_;
    std::uint64_t kept_bytes_ = 0;
};

}  // namespace espalier::runtime
