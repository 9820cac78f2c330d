#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/file_descriptor.hpp"
#include "core/text.hpp"
#include "launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

namespace espalier::apps {

namespace {

/// The lines of PMI-1, in which MPICH's processes and their launcher talk: `cmd=get key=…`,
/// answered by `cmd=get_result rc=0 value=…`.
class HydraLauncher final : public Launcher {
public:
    HydraLauncher(int descriptor, std::size_t rank, std::size_t ranks)
        : connection_(descriptor), rank_(rank), ranks_(ranks) {
        (void)ask("cmd=init pmi_version=1 pmi_subversion=1");
        space_ = value_in(ask("cmd=get_my_kvsname"), "kvsname");
    }
    HydraLauncher(const HydraLauncher&) = delete;
    HydraLauncher& operator=(const HydraLauncher&) = delete;
    ~HydraLauncher() override { (void)ask("cmd=finalize"); }

    [[nodiscard]] std::size_t rank() const override { return rank_; }
    [[nodiscard]] std::size_t ranks() const override { return ranks_; }

    void leave(const std::string& own, const std::string& for_all) override {
        put(fmt::format("doctor-{}", rank_), own);
        if (rank_ == 0) put("doctor", for_all);
        (void)ask("cmd=barrier_in");
    }
    [[nodiscard]] std::string for_all() override { return get("doctor"); }
    [[nodiscard]] std::string word_of(std::size_t rank) override {
        return get(fmt::format("doctor-{}", rank));
    }

private:
    void put(const std::string& key, const std::string& value) {
        (void)ask(fmt::format("cmd=put kvsname={} key={} value={}", space_, key, value));
    }
    std::string get(const std::string& key) {
        return value_in(ask(fmt::format("cmd=get kvsname={} key={}", space_, key)), "value");
    }

    /// Says a line, and returns the answer: empty once the launcher has gone.
    std::string ask(const std::string& line) {
        std::string answer;
        if (!write_all(connection_.get(), line + "\n")) return answer;
        for (char letter = 0; read(connection_.get(), &letter, 1) == 1 && letter != '\n';)
            answer += letter;
        return answer;
    }

    static std::string value_in(const std::string& answer, const std::string& name) {
        const std::size_t place = answer.find(" " + name + "=");
        if (place == std::string::npos) return {};
        const std::size_t begin = place + name.size() + 2;
        return answer.substr(begin, answer.find(' ', begin) - begin);
    }

    FileDescriptor connection_;
    std::size_t rank_;
    std::size_t ranks_;
    std::string space_;
};

std::optional<std::size_t> number_of(const char* variable) {
    const auto text = environment(variable);
    if (!text) return std::nullopt;
    try {
        return parse_count(*text, variable);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

}  // namespace

std::unique_ptr<Launcher> hydra_launcher() {
    const auto descriptor = number_of("PMI_FD");
    const auto rank = number_of("PMI_RANK");
    const auto ranks = number_of("PMI_SIZE");
    if (!descriptor || !rank || !ranks) return nullptr;
    return std::make_unique<HydraLauncher>(static_cast<int>(*descriptor), *rank, *ranks);
}

}  // namespace espalier::apps
