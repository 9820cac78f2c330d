#include "network/clusters_json.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"

#include <gmock/gmock.h>

namespace espalier::network {
namespace {

using testing::HasSubstr;

std::string complaint(const std::string& text) {
    try {
        (void)parse_clusters(text, "c.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(ClustersJson, writes_the_contracts_form_and_reads_it_back) {
    const NamedPartition complete = with_names({0.3, {{0, 1}, {2}}, {}}, {"n1", "n2", "n3"});
    EXPECT_EQ(to_json(complete).dump(),
              R"({"format":"espalier-clusters","version":1,"tolerance":0.3,)"
              R"("clusters":[["n1","n2"],["n3"]]})");
    EXPECT_EQ(parse_clusters(to_json(complete).dump(), "c.json"), complete);

    const NamedPartition partial = with_names({0.3, {{0, 1}, {2}}, {2}}, {"n1", "n2", "n3"});
    EXPECT_THAT(to_json(partial).dump(), HasSubstr(R"("unplaced":["n3"])"));
    EXPECT_EQ(parse_clusters(to_json(partial).dump(), "c.json"), partial);
}

TEST(ClustersJson, names_the_field_of_what_is_wrong) {
    const auto with = [](const std::string& fields) {
        return complaint(R"({"format":"espalier-clusters","version":1,)" + fields + "}");
    };
    EXPECT_THAT(with(R"("clusters":[["a"]])"), HasSubstr("c.json: tolerance: is missing"));
    EXPECT_THAT(with(R"("tolerance":-1,"clusters":[["a"]])"), HasSubstr("c.json: tolerance: "));
    EXPECT_THAT(with(R"("tolerance":1,"clusters":[["a"],["b","a"]])"),
                HasSubstr("c.json: clusters[1][1]: 'a' is in a cluster already"));
    EXPECT_THAT(with(R"("tolerance":1,"clusters":[["a"],[]])"),
                HasSubstr("c.json: clusters[1]: an empty cluster"));
    EXPECT_THAT(with(R"("tolerance":1,"clusters":["a"])"), HasSubstr("c.json: clusters[0]: "));
    EXPECT_THAT(with(R"("tolerance":1,"clusters":[["a"]],"diameter":1)"),
                HasSubstr("c.json: diameter: unknown field"));
    EXPECT_THAT(with(R"("tolerance":1,"clusters":[["a","b"]],"unplaced":["b"])"),
                HasSubstr("c.json: unplaced[0]: 'b' is not a cluster of one"));
    EXPECT_THAT(with(R"("tolerance":1,"clusters":[["b"]],"unplaced":["b","b"])"),
                HasSubstr("c.json: unplaced[1]: 'b' stands there twice"));
    EXPECT_EQ(with(R"("tolerance":1,"clusters":[["a"]],"x-note":1)"), "accepted");
    EXPECT_THAT(complaint(R"({"format":"espalier-network","version":1})"),
                HasSubstr("c.json: format: "));
}

}  // namespace
}  // namespace espalier::network
