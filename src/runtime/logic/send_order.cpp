#include "runtime/logic/send_order.hpp"

#include <algorithm>

namespace espalier::runtime {

void SendOrder::start(const RankProgram& program, bool paced) {
    program_ = &program;
    paced_ = paced;
    state_.assign(program.sends.size(), State::waits);
    need_.clear();
    for (const RankProgram::Send& send : program.sends) need_.push_back(send.first_need);
    link_by_peer(program.sends, next_to_, heads_, seen_);
    under_way_ = barrier_ = 0;
}

std::optional<std::size_t> SendOrder::take(const std::vector<char>& received) {
    const std::size_t end = barrier_ < program_->barriers.size()
                                ? program_->barriers[barrier_].sends
                                : program_->sends.size();
    for (std::size_t head = 0; head < heads_.size(); ++head) {
        const std::size_t send = heads_[head];
        if (send >= end || !has_room(send) || (paced_ && head > 0)) break;
        if (!is_ready(send, received)) continue;
        state_[send] = State::under_way;
        ++under_way_;
        advance(head);
        return send;
    }
    return std::nullopt;
}

void SendOrder::leave(std::size_t send) {
    state_[send] = State::left;
    --under_way_;
}

bool SendOrder::is_at_barrier() const {
    return barrier_ < program_->barriers.size() && under_way_ == 0 &&
           (heads_.empty() || heads_.front() >= program_->barriers[barrier_].sends);
}

bool SendOrder::is_ready(std::size_t send, const std::vector<char>& received) {
    std::size_t& need = need_[send];
    const std::size_t last = program_->sends[send].last_need;
    while (need < last && received[program_->needs[need]] != 0) ++need;
    return need == last;
}

bool SendOrder::has_room(std::size_t send) const {
    if (paced_ || under_way_ < program_->window) return true;
    if (send != heads_.front()) return false;
    const auto before = static_cast<std::ptrdiff_t>(send);
    const auto earlier = std::count(state_.begin(), state_.begin() + before, State::under_way);
    return static_cast<std::size_t>(earlier) < program_->window;
}

/// The next send to its receiver takes a head's place.
void SendOrder::advance(std::size_t head) {
    const std::size_t next = next_to_[heads_[head]];
    const auto place = heads_.begin() + static_cast<std::ptrdiff_t>(head);
    const auto behind = std::lower_bound(place + 1, heads_.end(), next);
    std::move(place + 1, behind, place);
    if (next < program_->sends.size())
        *(behind - 1) = next;
    else
        heads_.erase(behind - 1);
}

}  // namespace espalier::runtime
