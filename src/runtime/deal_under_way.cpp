#include "runtime/deal_under_way.hpp"

#include "runtime/clock.hpp"
#include "runtime/communicator.hpp"
#include "runtime/dealing.hpp"
#include "runtime/failure.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

#include <exception>
#include <limits>
#include <new>
#include <utility>

namespace espalier::runtime {

using schedule::Kind;

DealUnderWay::DealUnderWay(const char* name, const Signature& signature,
                           std::shared_ptr<const std::vector<Bytes>> blocks,
                           std::vector<std::uint64_t> sizes, int tag,
                           std::shared_ptr<Channel> channel, Communicator& communicator,
                           Process& process)
    : name_(name),
      signature_(signature),
      blocks_(std::move(blocks)),
      tag_(tag),
      channel_(std::move(channel)),
      communicator_(communicator),
      process_(process),
      own_(process.common().own),
      letter_(std::move(sizes)) {
    letter_.insert(letter_.begin(), process.device_memory().is_in_use() ? 1 : 0);
    entry_.planned_bytes = signature.bytes;
    channel_->enter();
}

bool DealUnderWay::advance() noexcept {
    bool is_over = true;
    int code = MPI_SUCCESS;
    try {
        is_over = step();
    } catch (const MpiFailure& failure) {
        code = failure.code;
    } catch (const std::exception& error) {
        (void)problem_of([&] { process_.log().warn(std::string(name_) + ": " + error.what()); });
        code = MPI_ERR_INTERN;
    }
    if (!is_over) return false;
    if (code != MPI_SUCCESS) abandon();
    // What can't be told to others is no failure of a leader that has its share, which another
    // thread may look at.
    if (!is_done()) {
        failure_ = code;
        done();
    }
    if (stage_ != Stage::begin) channel_->give_back(tag_);
    channel_->leave();
    return true;
}

/// Leaves what MPI may still read and write to it for good.
void DealUnderWay::abandon() noexcept {
    static_cast<void>(new (std::nothrow) auto(std::move(letter_)));
    static_cast<void>(new (std::nothrow) auto(std::move(letters_)));
    static_cast<void>(new (std::nothrow) auto(std::move(shares_)));
}

bool DealUnderWay::step() {
    if (stage_ == Stage::begin) {
        if (!channel_->take(tag_)) return false;
        stage_ = Stage::hear;
        begin();
    }
    if (!communicator_.leads()) return take_share();
    if (stage_ == Stage::hear) {
        if (!has_all_heard()) return false;
        plan_and_tell();
        stage_ = Stage::tell;
    }
    return has_all_heard();
}

void DealUnderWay::begin() {
    const std::vector<int>& ranks = channel_->ranks_in_world();
    const int length = static_cast<int>(letter_.size());
    if (!communicator_.leads()) {
        requests_.push_back(MPI_REQUEST_NULL);
        check(PMPI_Isend(letter_.data(), length, MPI_UINT64_T, ranks.front(), tag_, own_,
                         requests_.data()));
        return;
    }
    letters_ = letter_;
    letters_.resize(ranks.size() * letter_.size());
    requests_.resize(ranks.size() - 1, MPI_REQUEST_NULL);
    for (std::size_t rank = 1; rank < ranks.size(); ++rank)
        check(PMPI_Irecv(&letters_[rank * letter_.size()], length, MPI_UINT64_T, ranks[rank], tag_,
                         own_, &requests_[rank - 1]));
}

/// Whether all messages under way have come, or left.
bool DealUnderWay::has_all_heard() {
    int done = 0;
    check(PMPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                       MPI_STATUSES_IGNORE));
    return done != 0;
}

BlockSizes DealUnderWay::sizes_heard() const {
    if (!signature_.direct) return {blocks_, nullptr};
    const std::size_t ranks = channel_->ranks_in_world().size();
    const std::size_t length = letter_.size();
    BlockSizes sizes;
    if (signature_.kind == Kind::alltoall) {
        auto pairs = std::make_shared<Matrix<Bytes>>(ranks, ranks);
        for (std::size_t from = 0; from < ranks; ++from)
            for (std::size_t to = 0; to < ranks; ++to)
                (*pairs)(from, to) = Bytes(letters_[from * length + 1 + to]);
        sizes.of_pairs = std::move(pairs);
        return sizes;
    }
    auto blocks = std::make_shared<std::vector<Bytes>>();
    for (std::size_t rank = 0; rank < ranks; ++rank)
        blocks->push_back(Bytes(letters_[rank * length + 1]));
    sizes.of_ranks = std::move(blocks);
    return sizes;
}

PlannedRanks DealUnderWay::plan_for_all() {
    const std::size_t ranks = channel_->ranks_in_world().size();
    bool has_devices = false;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        has_devices |= letters_[rank * letter_.size()] != 0;
    const auto lock = communicator_.lock_planning();
    const Verdict verdict = has_devices ? Verdict::devices : communicator_.locate(process_);
    if (verdict != Verdict::planned) {
        PlannedCollective none;
        none.refusal = to_string(verdict);
        PlannedRanks planned;
        planned.shares.assign(ranks, none);
        return planned;
    }
    const BlockSizes sizes = sizes_heard();
    Signature planned = signature_;
    if (signature_.direct) planned.bytes = entry_.planned_bytes = size_class(largest(sizes));
    return communicator_.plans().lead(name_, planned, sizes, entry_, communicator_, process_);
}

void DealUnderWay::plan_and_tell() {
    const std::vector<int>& ranks = channel_->ranks_in_world();
    const double began = PMPI_Wtime();
    PlannedRanks planned = plan_for_all();
    entry_.planning += since(began);
    PlannedCollective none;
    none.refusal = "a plan too large to be sent";
    for (std::size_t rank = 1; rank < ranks.size(); ++rank)
        shares_.push_back(encode(planned.shares[rank]));
    for (const std::string& share : shares_)
        if (share.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
            planned.shares.front() = none;
            shares_.assign(shares_.size(), encode(none));
            break;
        }
    for (std::size_t rank = 1; rank < ranks.size(); ++rank)
        check(PMPI_Isend(shares_[rank - 1].data(), static_cast<int>(shares_[rank - 1].size()),
                         MPI_BYTE, ranks[rank], tag_, own_, &requests_[rank - 1]));
    PlannedCollective share = std::move(planned.shares.front());
    plan_ = Plans::plan_of(std::move(share), std::move(planned));
    done();
}

bool DealUnderWay::take_share() {
    const int leader = channel_->ranks_in_world().front();
    if (shares_.empty()) {
        int is_there = 0;
        MPI_Status status;
        check(PMPI_Iprobe(leader, tag_, own_, &is_there, &status));
        if (is_there == 0) return false;
        int bytes = 0;
        check(PMPI_Get_count(&status, MPI_BYTE, &bytes));
        shares_.emplace_back(static_cast<std::size_t>(bytes), '\0');
        requests_.push_back(MPI_REQUEST_NULL);
        check(PMPI_Irecv(shares_.front().data(), bytes, MPI_BYTE, leader, tag_, own_,
                         &requests_.back()));
    }
    if (!has_all_heard()) return false;
    plan_ = Plans::plan_of(decode_planned(shares_.front()), {});
    return true;
}

void DealUnderWay::settle(Plans::Entry& entry) const {
    check(failure_);
    entry.planned_bytes = entry_.planned_bytes;
    entry.planning = entry_.planning;
    entry.library = entry_.library;
    entry.owed = entry_.owed;
    entry.is_due_anyway = entry_.is_due_anyway;
    entry.record = entry_.record;
    if (signature_.direct) {
        entry.calls = 1;
        entry.gatherings = 1;
    }
    entry.adopt(plan_);
}

}  // namespace espalier::runtime
