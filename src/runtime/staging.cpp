#include "runtime/staging.hpp"

#include <utility>

namespace espalier::runtime {

Staging::Loan& Staging::Loan::operator=(Loan&& other) noexcept {
    give_back();
    owner_ = other.owner_;
    block_ = std::move(other.block_);
    return *this;
}

void Staging::Loan::give_back() {
    if (block_.memory) owner_->keep(std::move(block_));
    block_ = {};
}

Staging::Loan Staging::borrow(std::size_t bytes) {
    if (bytes == 0) return {};
    {
        const std::scoped_lock lock(mutex_);
        auto best = kept_.end();
        for (auto block = kept_.begin(); block != kept_.end(); ++block)
            if (block->size >= bytes && (best == kept_.end() || block->size < best->size))
                best = block;
        if (best != kept_.end()) {
            Block block = std::move(*best);
            kept_.erase(best);
            kept_bytes_ -= block.size;
            return {*this, std::move(block)};
        }
    }
    return {*this, Block{std::unique_ptr<std::byte[]>(new std::byte[bytes]), bytes}};
}

void Staging::keep(Block block) {
    const std::scoped_lock lock(mutex_);
    if (block.size > keeps_) return;
    // The latest sizes are the likeliest to come again.
    while (kept_bytes_ + block.size > keeps_) {
        kept_bytes_ -= kept_.front().size;
        kept_.erase(kept_.begin());
    }
    kept_bytes_ += block.size;
    kept_.push_back(std::move(block));
}

}  // namespace espalier::runtime
