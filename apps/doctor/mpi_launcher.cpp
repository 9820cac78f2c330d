#include "launcher.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <array>

namespace espalier::apps {

namespace {

constexpr const char* name_for_all = "espalier-doctor";
std::string name_of(std::size_t rank) { return fmt::format("{}-{}", name_for_all, rank); }

bool publish(const std::string& name, const std::string& word) {
    return word.size() < MPI_MAX_PORT_NAME &&
           MPI_Publish_name(name.c_str(), MPI_INFO_NULL, word.c_str()) == MPI_SUCCESS;
}

/// What was left under a name, within some time; empty where nothing was.
std::string find(const std::string& name, double patience_s) {
    constexpr useconds_t pause_us = 50'000;
    const double until = MPI_Wtime() + patience_s;
    std::array<char, MPI_MAX_PORT_NAME + 1> word{};
    while (MPI_Lookup_name(name.c_str(), MPI_INFO_NULL, word.data()) != MPI_SUCCESS) {
        if (MPI_Wtime() >= until) return {};
        usleep(pause_us);
    }
    return word.data();
}

/// Names that ranks publish with their launcher. One that keeps none leaves MPI's own messages, for
/// the one word that all need.
class MpiLauncher final : public Launcher {
public:
    MpiLauncher(int& argc, char**& argv) {
        MPI_Init(&argc, &argv);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int rank = 0;
        int ranks = 1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        rank_ = static_cast<std::size_t>(rank);
        ranks_ = static_cast<std::size_t>(ranks);
    }
    MpiLauncher(const MpiLauncher&) = delete;
    MpiLauncher& operator=(const MpiLauncher&) = delete;
    ~MpiLauncher() override { MPI_Finalize(); }

    [[nodiscard]] std::size_t rank() const override { return rank_; }
    [[nodiscard]] std::size_t ranks() const override { return ranks_; }

    void leave(const std::string& own, const std::string& for_all) override {
        (void)publish(name_of(rank_), own);
        if (rank_ > 0) return;
        for_all_ = for_all;
        if (!publish(name_for_all, for_all)) (void)broadcast(for_all);
    }

    [[nodiscard]] std::string for_all() override {
        constexpr double patience_s = 5;
        if (rank_ == 0) return for_all_;
        const std::string word = find(name_for_all, patience_s);
        return word.empty() ? broadcast({}) : word;
    }

    [[nodiscard]] std::string word_of(std::size_t rank) override { return find(name_of(rank), 0); }

private:
    static std::string broadcast(const std::string& word) {
        constexpr std::size_t longest = 1024;
        std::array<char, longest> text{};
        word.copy(text.data(), text.size() - 1);
        MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
        return text.data();
    }

    std::size_t rank_ = 0;
    std::size_t ranks_ = 1;
    std::string for_all_;
};

}  // namespace

std::unique_ptr<Launcher> mpi_launcher(int& argc, char**& argv) {
    return std::make_unique<MpiLauncher>(argc, argv);
}

}  // namespace espalier::apps
