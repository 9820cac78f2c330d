#include "network/convert.hpp"

#include "all.hpp"
#include "core/error.hpp"
#include "core/json_text.hpp"
#include "core/text.hpp"
#include "input.hpp"
#include "network/json.hpp"
#include "result.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace espalier::cli {

namespace {

using network::Network;

struct Options {
    std::string input;
    std::string to;
    std::string bytes;
    std::string unit;
    ResultOptions result;
};

/// Converts step by step, from the detailed to the simple.
class Converter {
public:
    Converter(const Network& from, const Options& options) : from_(from), options_(options) {}

    [[nodiscard]] Network::Model to(const std::string& model) const {
        if (model == from_.model_name()) return from_.model();
        if (model == "pairwise") return pairwise();
        if (model == "sender") return to_sender(pairwise(), bytes());
        if (model == "grid") return to_grid(pairwise());
        if (model == "links") refuse(model);
        throw InputError("--to", "",
                         fmt::format("'{}' is not sender, pairwise, grid or links", model));
    }

private:
    [[nodiscard]] network::PairwiseNetwork pairwise() const {
        if (const auto* pairwise = from_.pairwise()) return *pairwise;
        if (const auto* links = from_.links()) return to_pairwise(*links);
        if (const auto* grid = from_.grid()) return to_pairwise(*grid, bytes());
        refuse(options_.to);
    }

    [[nodiscard]] Bytes bytes() const {
        if (options_.bytes.empty())
            throw InputError("--bytes", "",
                             fmt::format("needed: from {} to {} is for one message size",
                                         from_.model_name(), options_.to));
        return parse_bytes(options_.bytes, "--bytes");
    }

    [[noreturn]] void refuse(const std::string& model) const {
        throw InputError(options_.input, "model",
                         fmt::format("a {} network does not say enough to make a {} network",
                                     from_.model_name(), model));
    }

    const Network& from_;
    const Options& options_;
};

Network read_as_network(const Options& options) {
    Input input = read_input(options.input, options.unit);
    if (const auto* table = std::get_if<network::PairTable>(&input.content))
        return Network(to_pairwise(*table, input.unit), nullptr, options.input);
    return std::get<Network>(std::move(input.content));
}

void run(const Options& options) {
    require_writable(options.result);
    const Network from = read_as_network(options);
    const Network result(Converter(from, options)
                             .to(options.to.empty() ? std::string(from.model_name()) : options.to),
                         from.measured(), options.input);
    deliver_file(options.result, to_text(to_json(result)),
                 fmt::format("{}: a {} network of {}\n", options.result.file, result.model_name(),
                             counted(size(result), result.grid() ? "cluster" : "node")));
}

}  // namespace

Action add_convert(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("FILE", options->input, "a network (JSON) or a latency matrix (CSV)")
        ->type_name("")
        ->required();
    app.add_option("--to", options->to, "model of the result: sender, pairwise or grid")
        ->type_name("MODEL");
    app.add_option("--bytes", options->bytes,
                   "message size, where the result is for one size: grid to pairwise or sender")
        ->type_name("SIZE");
    app.add_option("--unit", options->unit, "of a CSV's latencies: us (the default), ms or s")
        ->type_name("us|ms|s");
    add_file_option(app, options->result, "NET.json");
    add_json_option(app, options->result);
    return [options](const Passed&) { run(*options); };
}

}  // namespace espalier::cli
