#include <algorithm>
#include <set>
#include <vector>

#include "holders.hpp"
#include "shrubs/paper/members.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

Config members_config() {
    Config config;
    config.max_shrubs = 3;
    config.window_size = 4;
    return config;
}

// Members that are single leaves with `shares` of class 1, oldest first.
class Leaves {
 public:
    explicit Leaves(const std::vector<std::int32_t>& shares)
        : holder_(members_config(), {1, 2, 1}) {
        for (const std::int32_t share : shares) {
            const std::vector<std::int32_t> q = {fixed_one - share, share};
            Members& members = holder_.members();
            members.layout().set_distribution(members.leaves(members.size()), 0, q);
            members.append(0, born_++);
        }
    }
    Members& members() { return holder_.members(); }

    std::vector<double> predict() {
        std::vector<std::uint16_t> found(members().size());
        members().find_leaves(std::vector<float>({0.0F}), found);
        std::vector<double> f(2, -1.0);
        members().predict_distribution(found, f);
        return f;
    }

 private:
    MembersHolder holder_;
    std::uint64_t born_ = 10;
};

}  // namespace

TEST_CASE("without members the prediction is uniform") {
    CHECK_EQ(Leaves({}).predict(), std::vector<double>({0.5, 0.5}));
}

TEST_CASE("a new member has weight zero") {
    CHECK_EQ(Leaves({16384}).members().weights()[0], 0.0);
}

TEST_CASE("the prediction is the weighted sum of the leaves") {
    Leaves leaves({32768, 8192});
    leaves.members().weights()[0] = 0.25;
    leaves.members().weights()[1] = 0.75;
    // class 1: 0.25 * 1 + 0.75 * 0.25 = 0.4375
    CHECK_EQ(leaves.predict(), std::vector<double>({0.5625, 0.4375}));
}

TEST_CASE("a probability is at most one even if the weights sum to more") {
    Leaves leaves({32768});
    leaves.members().weights()[0] = 1.0000000001;
    CHECK_EQ(leaves.predict()[1], 1.0);
}

TEST_CASE("a value is the weighted sum of the leaves and stays finite") {
    Config config = members_config();
    config.task = Task::regression;
    MembersHolder holder(config, {1, 0, 1});
    Members& members = holder.members();
    const std::vector<std::uint16_t> found = {0, 0};
    CHECK_EQ(members.predict_value(found), 0.0);
    constexpr double largest = std::numeric_limits<double>::max();
    for (const double value : {largest, 0.9 * largest}) {
        members.layout().set_value(members.leaves(members.size()), 0, value);
        members.append(0, 0);
        members.weights()[members.size() - 1] = 0.6;
    }
    CHECK_EQ(members.predict_value(found), largest);
    members.weights()[0] = 0.5;
    members.weights()[1] = 0.0;
    CHECK_EQ(members.predict_value(found), 0.5 * largest);
}

TEST_CASE("removing a member keeps the others in order, with weights and births") {
    Leaves leaves({100, 200, 300});
    Members& members = leaves.members();
    for (const std::uint32_t i : {0U, 1U, 2U}) {
        members.weights()[i] = 0.1 * (i + 1);
    }
    members.remove(1);
    CHECK_EQ(members.size(), 2U);
    CHECK_EQ(members.born(0), 10U);
    CHECK_EQ(members.born(1), 12U);
    CHECK_EQ(members.weights()[1], 0.1 * 3);
    CHECK_EQ(members.layout().entry(members.leaves(1), 0, 1), 300);
}

TEST_CASE("places are never shared, however many members come and go") {
    MembersHolder holder(members_config(), {1, 2, 1});
    Members& members = holder.members();
    Random random(6, 0);
    for (std::uint64_t i = 0; i < 500; ++i) {
        if (members.size() == 4 || (members.size() > 0 && random.below(2) == 0)) {
            members.remove(random.below(members.size()));
        } else {
            members.append(0, i);
        }
        std::set<const std::byte*> places;
        for (std::uint32_t k = 0; k < members.size(); ++k) {
            places.insert(members.leaves(k));
            CHECK(k == 0 || members.born(k - 1) < members.born(k));
        }
        CHECK_EQ(places.size(), members.size());
        CHECK(members.size() == 4 || !places.contains(members.leaves(members.size())));
    }
}

TEST_CASE("walking four members at a time finds the leaves of walking one by one") {
    // Up to 64 features a node takes six bytes, beyond that eight.
    for (const std::uint32_t n_features : {3U, 65U}) {
        for (const bool some_nominal : {false, true}) {
            Config config;
            config.max_shrubs = 11;
            config.window_size = 40;
            config.step_size = 0.5;
            const Dimensions dimensions{n_features, 3, n_features};
            LearnerHolder holder(config, dimensions,
                                 {some_nominal ? std::uint8_t{1} : std::uint8_t{0}});
            ExampleSource source(n_features, dimensions, 50);
            const Members& members = holder.ensemble().members();
            std::vector<std::uint16_t> found(config.max_shrubs + std::size_t{1});
            for (int i = 0; i < 300; ++i) {
                const Example example = source.next();
                members.find_leaves(example.x, found);
                for (std::uint32_t k = 0; k < members.size(); ++k) {
                    CHECK_EQ(std::uint32_t{found[k]}, members.find_leaf(k, example.x));
                }
                holder.ensemble().learn(example);
            }
            CHECK(members.size() > 4);
        }
    }
}
