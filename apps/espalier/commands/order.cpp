#include "commands/all.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "core/time_column.hpp"
#include "frontend/ordering.hpp"
#include "inputs/network_source.hpp"
#include "outputs/result.hpp"
#include "outputs/waiting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

namespace espalier::cli {

namespace {

struct OrderWords {
    frontend::OrderOptions options;
    std::string network;
    SourceOptions source;
    bool progress = false;
    ResultOptions result;
};

std::string calls_table(const libraries::Order& order) {
    using enum Table::Align;
    constexpr std::size_t digits = 3;
    const TimeColumn time(
        std::ranges::min(order.calls, {}, &libraries::Order::Timed::ordered).ordered, digits);
    Table table({{"collective"},
                 {"bytes", right},
                 {"algorithm"},
                 {time.title("as given"), right},
                 {time.title("ordered"), right},
                 {"gain", right}});
    for (const auto& call : order.calls)
        table.add(
            {std::string(schedule::name_of(call.call.kind)), format_bytes(call.call.bytes),
             std::string(call.algorithm->name), time.cell(call.given), time.cell(call.ordered),
             call.ordered > Seconds(0) ? fmt::format("{:.2f}", call.given / call.ordered) : "-"});
    return table.text(columns_of_tables(STDOUT_FILENO));
}

std::string order_text(const frontend::OrderedHosts& ordered, const std::string& file) {
    const libraries::Order& order = ordered.order;
    const std::string hosts = counted(ordered.hosts.size(), "host");
    std::string text =
        ordered.is_as_given
            ? fmt::format("{} in the given order: of {} none is better for {}\n", hosts,
                          counted(order.tried, "order"), ordered.library->title)
            : fmt::format(
                  "{} in an order in which {}'s own collectives are predicted to be {:.2f} "
                  "times as fast as in the given one; {} tried\n",
                  hosts, ordered.library->title, order.gain(), counted(order.tried, "order"));
    text = wrapped(text, columns_of_output(STDOUT_FILENO), 2);
    if (!order.calls.empty()) text += "\n" + calls_table(order) + "\n";
    std::string use(ordered.file->use);
    use.replace(use.find("FILE"), 4, file.empty() ? "FILE" : file);
    return text + fmt::format("Use it so: {}\n", use) +
           (file.empty() ? "\n" + ordered.text() : std::string());
}

void run_order(OrderWords words) {
    require_writable(words.result);
    words.options.network = {words.network,
                             [&] { return read_network(words.network, words.source); }};
    const auto ordered = [&] {
        const Waiting waiting("ordering", words.progress);
        return frontend::order_hosts(words.options);
    }();
    const std::string& file = words.result.file;
    if (!file.empty()) write_file(file, ordered.text());
    if (file == "-") return;
    std::cout << (words.result.json ? to_text(to_json(ordered)) : order_text(ordered, file))
              << std::flush;
    if (!file.empty()) say_written(file);
}

}  // namespace

Action add_order(CLI::App& app) {
    auto words = std::make_shared<OrderWords>();
    frontend::OrderOptions& asked = words->options;
    std::vector<std::string_view> targets;
    for (const libraries::HostFile& file : libraries::host_files()) targets.push_back(file.name);
    app.add_option("NETWORK", words->network, "a network file (JSON), or a directory")
        ->type_name("")
        ->required();
    app.add_option("--for", asked.target, "the launcher that the file is for")
        ->type_name(fmt::format("{}", fmt::join(targets, "|")))
        ->required();
    app.add_option("--hosts", asked.hosts,
                   "order these alone: a host a line, also with slots=N or :N; their order is "
                   "the given one (all of the network, in its order)")
        ->type_name("HOSTS");
    app.add_option("--slots", asked.slots, "ranks on each host (as --hosts says, else 1)")
        ->type_name("COUNT");
    app.add_option("--collectives", asked.collectives,
                   "what the order is to be good for (broadcast,reduce,allreduce,allgather)")
        ->type_name("NAME,...");
    app.add_option("--bytes", asked.bytes,
                   "sizes of operands or blocks, and ranges of them, which double, or :4 "
                   "quadruple (1KiB,64KiB,1MiB)")
        ->type_name("SIZE,FIRST..LAST,...");
    app.add_option("--library", asked.library,
                   "whose own algorithms perform them: openmpi, mpich or gloo (the launcher's)")
        ->type_name("NAME");
    app.add_option("--time-limit", asked.time_limit,
                   "search for so long: 10ms, 2s (counted work of about 10s)")
        ->type_name("TIME");
    add_progress_option(app, words->progress);
    add_source_options(app, words->source);
    app.add_option("-o,--output", words->result.file,
                   "write the launcher's file; - prints it alone")
        ->type_name("FILE");
    add_json_option(app, words->result);
    return [words](const Passed&) { run_order(*words); };
}

}  // namespace espalier::cli
