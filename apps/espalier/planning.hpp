#pragma once

#include "network/grid_view.hpp"
#include "network/network.hpp"
#include "plan/algorithm.hpp"
#include "plan/job.hpp"
#include "schedule/collective.hpp"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace espalier::cli {

/// What the user asks to be planned: the options that `plan` and `compare` share, as they stand.
struct ProblemOptions {
    std::string collective;
    std::string network;
    std::string root;
    std::string bytes;
    std::string segment;
    std::string local = "auto";
};

void add_problem_options(CLI::App& app, ProblemOptions& options);

/// A broadcast to be planned on the network of a file. Its constructor throws InputError for all
/// that does not fit together, before any planning.
class BroadcastProblem {
public:
    explicit BroadcastProblem(const ProblemOptions& options);
    BroadcastProblem(const BroadcastProblem&) = delete;
    BroadcastProblem& operator=(const BroadcastProblem&) = delete;

    /// Of those in the table, what applies to this network.
    [[nodiscard]] const std::vector<const plan::Algorithm*>& algorithms() const {
        return algorithms_;
    }
    /// Throws InputError naming `--algorithm` for a name that is neither `auto` nor among them.
    void require_algorithm(const std::string& name) const;
    [[nodiscard]] plan::JobPlan plan(const std::string& algorithm) const;
    /// Says on standard error where the file can't answer for the message size that was asked for.
    void warn_of_assumptions() const;

    [[nodiscard]] const network::Network& network() const { return network_; }
    [[nodiscard]] const network::GridView& view() const { return view_; }

private:
    [[nodiscard]] std::size_t read_root() const;
    [[nodiscard]] Bytes read_bytes() const;
    [[nodiscard]] plan::Segmenting segmenting(const std::string& algorithm) const;
    void require_local() const;

    ProblemOptions options_;
    schedule::Kind kind_;  ///< known to be sound before the file is read
    network::Network network_;
    std::vector<const plan::Algorithm*> algorithms_;
    network::GridNetwork grid_;
    network::GridView view_;
    plan::Job job_;
    plan::JobRequest request_;
};

}  // namespace espalier::cli
