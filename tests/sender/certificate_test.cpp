#include "sender/certificate.hpp"
#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "network/json.hpp"
#include "sender/optimal.hpp"
#include "sender/verify_certificate.hpp"
#include "support/sender_oracle.hpp"
#include "support/sender_problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace espalier::sender {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

/// A network, and what slot prices prove of it.
struct Proven {
    network::SenderNetwork network;
    Problem problem;
    std::optional<Certificate> certificate;
};

std::optional<std::string> root_name(const network::SenderNetwork& network,
                                     std::optional<std::size_t> root) {
    return root ? std::optional(network.name_of(*root)) : std::nullopt;
}

Proven prove(const Problem& problem) {
    Proven proven{espalier::test::network_of(problem), problem, {}};
    const Result result = optimal(problem, {});
    if (!result.proof) return proven;
    proven.certificate = make_certificate(
        *result.proof, problem, root_name(proven.network, espalier::test::root_of(problem)),
        proven.network, "sha256:0");
    return proven;
}

/// Is it true? By trying everything.
bool holds(const Certificate& claim, const network::SenderNetwork& network) {
    std::optional<std::size_t> root;
    if (claim.root)
        for (std::size_t i = 0; i < network.size(); ++i)
            if (network.name_of(i) == *claim.root) root = i;
    const Problem problem = make_problem(network, claim.kind, root, claim.ports);
    return espalier::test::least_makespan_of_orders(problem) >= claim.lower_bound() * (1 - 1e-12);
}

void for_each_kind_of_problem(
    std::uint64_t seed, std::size_t rounds,
    const std::function<void(Random&, schedule::Kind, const espalier::test::RandomNodes&)>& visit) {
    Random random(seed);
    for (std::size_t round = 0; round < rounds; ++round)
        for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
            for (const bool any_root : {true, false})
                for (const bool real : {true, false})
                    visit(random, kind,
                          {.least = 2,
                           .most = 7,
                           .classes = 1 + random.below(4),
                           .real = real,
                           .any_root = any_root,
                           .ports = 1 + random.below(3)});
}

TEST(Certificate, of_what_slot_prices_prove_has_no_flaw) {
    std::size_t proofs = 0;
    for_each_kind_of_problem(1, 12, [&](auto& random, auto kind, const auto& shape) {
        const auto proven = prove(espalier::test::random_nodes(random, kind, shape));
        if (!proven.certificate) return;
        ++proofs;
        EXPECT_EQ(find_flaw(*proven.certificate, proven.network), std::nullopt)
            << to_json(*proven.certificate) << to_json(network::Network(proven.network));
        EXPECT_TRUE(holds(*proven.certificate, proven.network));
    });
    EXPECT_GT(proofs, 70U);
}

/// Every way to change one field of a claim by a little or a lot.
std::vector<Certificate> changes(const Certificate& claim, const network::SenderNetwork& network,
                                 Random& random) {
    std::vector<Certificate> changed;
    const auto change = [&](const auto& edit) { edit(changed.emplace_back(claim)); };
    for (const Ticks by : {Ticks{1}, Ticks{2}, claim.proof.deadline / 3 + 1}) {
        change([&](auto& c) { c.proof.lower_bound += by; });
        change([&](auto& c) { c.proof.deadline += by; });
        change([&](auto& c) { c.proof.deadline -= by; });
        change([&](auto& c) { c.proof.deadline += by, c.proof.lower_bound += by; });
        for (std::size_t k = 0; k < claim.proof.classes.size(); ++k) {
            change([&](auto& c) { c.proof.classes[k].time += by; });
            change([&](auto& c) {
                c.proof.classes[k].time = std::max<Ticks>(1, c.proof.classes[k].time - by);
            });
            change([&](auto& c) { c.proof.classes[k].count += 1; });
            if (claim.proof.classes[k].count > 1)
                change([&](auto& c) { c.proof.classes[k].count -= 1; });
            change([&](auto& c) { c.proof.classes[k].price /= by + 1; });
            change([&](auto& c) {
                const auto most = std::numeric_limits<std::int64_t>::max() / (by + 1);
                c.proof.classes[k].price = std::min(c.proof.classes[k].price, most) * (by + 1);
            });
            change([&](auto& c) { c.proof.classes[k].price = 0; });
        }
    }
    for (const double factor : {0.5, 0.999, 1.001, 2.0, 1e30})
        change([&](auto& c) { c.proof.tick *= factor; });
    change([&](auto& c) { c.proof.price_unit = c.proof.price_unit / 2 + 1; });
    change([&](auto& c) { c.proof.price_unit *= 2; });
    change([&](auto& c) { c.proof.price_unit += 1; });
    change([&](auto& c) { c.ports += 1; });
    if (claim.ports > 1) change([&](auto& c) { c.ports -= 1; });
    change([&](auto& c) {
        c.kind = claim.kind == schedule::Kind::reduce ? schedule::Kind::broadcast
                                                      : schedule::Kind::reduce;
    });
    change([&](auto& c) { c.root.reset(); });
    change([&](auto& c) { c.root = network.name_of(random.below(network.size())); });
    return changed;
}

TEST(Certificate, that_was_changed_to_claim_what_is_false_is_rejected) {
    std::size_t rejected = 0;
    std::size_t false_claims = 0;
    for_each_kind_of_problem(2, 5, [&](auto& random, auto kind, auto shape) {
        shape.most = 6;
        const auto proven = prove(espalier::test::random_nodes(random, kind, shape));
        if (!proven.certificate) return;
        for (const auto& changed : changes(*proven.certificate, proven.network, random)) {
            const bool flawed = find_flaw(changed, proven.network, 100'000).has_value();
            const bool true_claim = holds(changed, proven.network);
            EXPECT_TRUE(flawed || true_claim) << to_json(changed) << "\nfrom\n"
                                              << to_json(*proven.certificate);
            rejected += flawed ? 1 : 0;
            false_claims += true_claim ? 0 : 1;
        }
    });
    EXPECT_GT(rejected, 1000U);
    EXPECT_GT(false_claims, 300U);
}

TEST(Certificate, at_whatever_prices_proves_nothing_false) {
    std::size_t accepted = 0;
    for_each_kind_of_problem(3, 60, [&](auto& random, auto kind, auto shape) {
        shape.most = 6;
        shape.real = false;
        const auto problem = espalier::test::random_nodes(random, kind, shape);
        const auto network = espalier::test::network_of(problem);
        Proof proof{.price_unit = 60};
        std::int64_t price = 0;
        for (const auto& members : problem.classes)
            proof.classes.push_back({static_cast<Ticks>(members.time), members.count, 0});
        for (std::size_t c = proof.classes.size(); c-- > 0;)
            proof.classes[c].price = price += static_cast<std::int64_t>(random.below(40));
        const double optimum = espalier::test::least_makespan_of_orders(problem);
        // One below the optimum may be proven, the optimum itself must not be.
        for (const Ticks beyond : {Ticks{0}, Ticks{1}}) {
            proof.lower_bound = static_cast<Ticks>(optimum) + beyond;
            proof.deadline = proof.lower_bound - 1;
            const auto claim = make_certificate(
                proof, problem, root_name(network, espalier::test::root_of(problem)), network, "");
            const bool flawed = find_flaw(claim, network).has_value();
            EXPECT_TRUE(flawed || beyond == 0) << to_json(claim);
            accepted += flawed ? 0 : 1;
        }
    });
    EXPECT_GT(accepted, 10U);
}

/// Two nodes of time 2 and two of 3, and the proof that a broadcast takes 4 at least.
struct Example {
    network::SenderNetwork network{"ms", {{"new", 2, 2, false}, {"old", 3, 2, false}}};
    Certificate certificate{
        .network = "sha256:1",
        .time_unit = "ms",
        .proof = {
            .classes = {{2, 2, 0}, {3, 2, 0}}, .price_unit = 4, .deadline = 3, .lower_bound = 4}};
};

TEST(Certificate, proves_a_bound_by_hand) {
    const Example example;
    EXPECT_EQ(find_flaw(example.certificate, example.network), std::nullopt);
    EXPECT_TRUE(proves_optimal(example.certificate, 4));
    EXPECT_FALSE(proves_optimal(example.certificate, 4.0001));
}

TEST(Certificate, says_what_is_wrong_with_it) {
    const auto flaw = [](const auto& edit) {
        Example example;
        edit(example.certificate);
        return find_flaw(example.certificate, example.network);
    };
    EXPECT_THAT(flaw([](auto& c) { c.time_unit = "s"; }), Optional(HasSubstr("in ms")));
    EXPECT_THAT(flaw([](auto& c) { c.root = "new-2"; }), Optional(HasSubstr("no node 'new-2'")));
    EXPECT_THAT(flaw([](auto& c) { c.root = "new-01"; }), Optional(HasSubstr("no node 'new-01'")));
    EXPECT_THAT(flaw([](auto& c) { c.proof.tick = 1.001; }),
                Optional(HasSubstr("at most its time")));
    EXPECT_THAT(flaw([](auto& c) { c.proof.classes[1].count = 3; }),
                Optional(HasSubstr("at most its time")));
    EXPECT_THAT(flaw([](auto& c) { c.proof.classes[1].count = 1; }),
                Optional(HasSubstr("at most its time")));
    EXPECT_THAT(flaw([](auto& c) { c.proof.lower_bound = 5; }),
                Optional(HasSubstr("over at 4 ticks, before its lower bound of 5")));
    EXPECT_THAT(flaw([](auto& c) { c.proof.deadline = 4, c.proof.lower_bound = 5; }),
                Optional(HasSubstr("all 4 nodes might be reached")));
    EXPECT_THAT(flaw([](auto& c) { c.ports = 5000; }), Optional(HasSubstr("ports")));
}

TEST(Certificate, made_to_keep_its_reader_busy_is_rejected_soon) {
    Example example;
    Proof& proof = example.certificate.proof;
    proof.tick = 0x1p-50;
    proof.classes = {{1, 1, 0}, {3, 1, 0}, {5, 2, 0}};
    proof.deadline = (Ticks{1} << 60) - 1;
    proof.lower_bound = Ticks{1} << 60;
    EXPECT_THAT(find_flaw(example.certificate, example.network, 300'000),
                Optional(HasSubstr("more than 100000 sums")));
    proof.classes.clear();
    for (Ticks time = 1; time <= 4; ++time) proof.classes.push_back({time << 58, 1, 0});
    proof.tick = 0x1p-60;
    proof.price_unit = Ticks{1} << 61;
    for (auto& members : proof.classes) members.price = Ticks{1} << 61;
    EXPECT_NE(find_flaw(example.certificate, example.network), std::nullopt);
    // Worths that double a thousand times over fit no number.
    proof = {.tick = 0.002,
             .classes = {{1, 4, 0}},
             .price_unit = 1000,
             .deadline = 1500,
             .lower_bound = 1501};
    EXPECT_THAT(find_flaw(example.certificate, example.network),
                Optional(HasSubstr("might be reached")));
}

TEST(Certificate, cuts_times_past_the_bound_and_joins_classes_of_one_time) {
    const auto network = espalier::test::listed({1, 20, 30});
    const auto problem = make_problem(network, schedule::Kind::broadcast, std::nullopt);
    const Proof proof{.classes = {{1, 1, 7}, {20, 1, 5}, {30, 1, 3}},
                      .price_unit = 8,
                      .deadline = 1,
                      .lower_bound = 2};
    const auto certificate = make_certificate(proof, problem, {}, network, "");
    ASSERT_EQ(certificate.proof.classes.size(), 2U);
    EXPECT_EQ(certificate.proof.classes[1].time, 2);
    EXPECT_EQ(certificate.proof.classes[1].count, 2U);
    EXPECT_EQ(certificate.proof.classes[1].price, 3);
}

TEST(Certificate, comes_back_from_its_file) {
    Example example;
    example.certificate.root = "old-1";
    example.certificate.proof.deadline = (Ticks{1} << 58) + 1;  // more than a double can hold
    example.certificate.proof.lower_bound = (Ticks{1} << 58) + 2;
    const auto text = to_json(example.certificate).dump();
    const auto read = parse_certificate(text, "c.json");
    EXPECT_EQ(to_json(read).dump(), text);
    EXPECT_EQ(read.proof.deadline, (Ticks{1} << 58) + 1);
    EXPECT_EQ(read.root, "old-1");
}

TEST(Certificate, that_is_no_certificate_is_refused_in_one_line) {
    const Json good = to_json(Example{}.certificate);
    const auto complaint = [&](const auto& edit) {
        Json document = good;
        edit(document);
        try {
            (void)parse_certificate(document.dump(), "c.json");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_EQ(complaint([](auto&) {}), "none");
    EXPECT_EQ(complaint([](auto& d) { d["format"] = "espalier-ring"; }).find("c.json: format"), 0U);
    EXPECT_EQ(complaint([](auto& d) { d["collective"] = "gather"; }),
              "c.json: collective: 'gather' is not broadcast or reduce");
    EXPECT_EQ(complaint([](auto& d) { d["deadline"] = 1e300; }),
              "c.json: deadline: a whole number up to 2^61 was expected");
    EXPECT_EQ(complaint([](auto& d) { d["deadline"] = std::uint64_t{1} << 63; }),
              "c.json: deadline: a whole number up to 2^61 was expected");
    EXPECT_EQ(complaint([](auto& d) { d["lower_bound"] = 3; }),
              "c.json: lower_bound: not beyond the deadline");
    EXPECT_EQ(complaint([](auto& d) { d["classes"][1]["time"] = 2; }),
              "c.json: classes[1].time: not greater than that of the class before");
    EXPECT_EQ(complaint([](auto& d) { d["classes"][0]["price"] = -1; }),
              "c.json: classes[0].price: at least 0 was expected");
    EXPECT_EQ(complaint([](auto& d) { d["classes"] = Json::array(); }),
              "c.json: classes: no class");
    EXPECT_NE(complaint([](auto& d) { d["prise"] = 1; }).find("prise"), std::string::npos);
    for (const auto* name : {"version", "ports", "time_unit", "tick", "classes", "price_unit",
                             "deadline", "lower_bound", "collective"})
        EXPECT_NE(complaint([&](auto& d) { d.erase(name); }).find(name), std::string::npos);
}

}  // namespace
}  // namespace espalier::sender
