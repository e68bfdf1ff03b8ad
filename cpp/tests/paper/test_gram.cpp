#include <algorithm>
#include <numeric>
#include <vector>

#include "holders.hpp"
#include "shrubs/paper/gram.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr double certain = 32768.0 * 32768.0;

// A window with members and their Gram matrix, kept up to date as a learner does.
class Sliding {
 public:
    Sliding(const Config& config, const Dimensions& dimensions)
        : window_(config.window_size, std::vector<std::uint8_t>(dimensions.n_features)),
          holder_(config, dimensions),
          products_(Gram::n_products(config.max_shrubs + std::size_t{1}), 77),
          rights_(config.max_shrubs + std::size_t{1}, 77),
          by_class_(rights_.size() * dimensions.n_classes),
          found_(rights_.size()),
          examples_(config.window_size),
          gram_({products_, rights_, by_class_}) {
        gram_.clear();
    }

    void add(const Example& example) {
        Members& members = holder_.members();
        Window& window = window_.window();
        members.find_leaves(example.x, found_);
        const bool slides = window.is_full();
        if (slides) {
            const std::uint32_t leaving = window.slot(0);
            std::vector<std::uint16_t> left(members.size());
            for (std::uint32_t i = 0; i < members.size(); ++i) {
                left[i] = static_cast<std::uint16_t>(members.leaf_ids(i).get(leaving));
            }
            gram_.slide(members, {found_, example.label}, {left, window.labels()[leaving]});
        } else {
            gram_.add(members, {found_, example.label}, 1.0);
        }
        const std::uint32_t slot = window.add(example);
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            members.leaf_ids(i).set(slot, found_[i]);
        }
    }
    void bear(std::uint64_t index) {
        holder_.grow_member(window_.window(), index);
        gram_.add_newcomer(holder_.members(), window_.window(), examples_);
    }
    void bury(std::uint32_t i) {
        gram_.remove(i, holder_.members().size());
        holder_.members().remove(i);
    }

    std::uint32_t n_shrubs() { return holder_.members().size(); }
    const Gram& gram() const { return gram_; }

    // Whether Q and r are what their definition says, example by example.
    bool equals_from_scratch() {
        const Members& members = holder_.members();
        const Window& window = window_.window();
        std::vector<std::int32_t> q(members.layout().n_classes());
        std::vector<std::int32_t> other(q.size());
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            std::vector<double> row(i + std::size_t{1});
            double right = 0;
            for (std::uint32_t age = 0; age < window.size(); ++age) {
                const std::uint32_t slot = window.slot(age);
                members.layout().get_distribution(members.leaves(i), members.leaf_ids(i).get(slot),
                                                  q);
                right += q[window.labels()[slot]];
                for (std::uint32_t k = 0; k <= i; ++k) {
                    members.layout().get_distribution(members.leaves(k),
                                                      members.leaf_ids(k).get(slot), other);
                    row[k] += std::inner_product(q.begin(), q.end(), other.begin(), 0.0);
                }
            }
            const auto kept = gram_.row(i);
            if (!std::ranges::equal(row, kept) || gram_.right(i) != right) {
                return false;
            }
        }
        return true;
    }

 private:
    WindowHolder window_;
    MembersHolder holder_;
    std::vector<double> products_, rights_;
    std::vector<std::int32_t> by_class_;
    std::vector<std::uint16_t> found_, examples_;
    Gram gram_;
};

void check_random_life(const Config& config, const Dimensions& dimensions, std::uint64_t seed) {
    Sliding sliding(config, dimensions);
    ExampleSource source(seed, dimensions, 10);
    Random random(seed, 1);
    for (std::uint64_t i = 0; i < 400; ++i) {
        sliding.add(source.next());
        if (sliding.n_shrubs() <= config.max_shrubs && random.below(3) > 0) {
            sliding.bear(i);
        }
        while (sliding.n_shrubs() > config.max_shrubs ||
               (sliding.n_shrubs() > 0 && random.below(4) == 0)) {
            sliding.bury(random.below(sliding.n_shrubs()));
        }
        CHECK(sliding.equals_from_scratch());
    }
}

void check_random_lives(const Config& config, const Dimensions& dimensions, std::uint64_t seed) {
    for (const bool wide : {false, true}) {
        allow_avx2(wide);
        check_random_life(config, dimensions, seed);
    }
    allow_avx2(true);
}

}  // namespace

TEST_CASE("the Gram matrix of one pure shrub counts the window") {
    Config config;
    config.window_size = 4;
    config.max_shrubs = 2;
    Sliding sliding(config, {1, 2, 1});
    const std::vector<float> low = {0.0F};
    const std::vector<float> high = {1.0F};
    sliding.add({low, 0});
    sliding.add({high, 1});
    sliding.bear(0);
    // Both examples are predicted with certainty: Q = 2 * 32768^2, r = 2 * 32768.
    CHECK_EQ(sliding.gram().row(0)[0], 2 * certain);
    CHECK_EQ(sliding.gram().right(0), 2 * 32768);
    // An example that the shrub gets wrong counts for Q only.
    sliding.add({low, 1});
    CHECK_EQ(sliding.gram().row(0)[0], 3 * certain);
    CHECK_EQ(sliding.gram().right(0), 2 * 32768);
}

TEST_CASE("sliding equals starting from scratch for pure shrubs") {
    Config config;
    config.window_size = 20;
    config.max_shrubs = 6;
    check_random_lives(config, {3, 3, 3}, 1);
}

TEST_CASE("sliding equals starting from scratch for impure shrubs and dense leaves") {
    Config config;
    config.window_size = 20;
    config.max_shrubs = 6;
    config.max_depth = 2;
    for (const std::uint32_t n_classes : {2U, 3U, 4U, 5U}) {
        check_random_lives(config, {2, n_classes, 2}, n_classes);
    }
}

TEST_CASE("sliding equals starting from scratch for impure shrubs and sparse leaves") {
    Config config;
    config.window_size = 33;
    config.max_shrubs = 5;
    config.max_depth = 3;
    check_random_lives(config, {2, 40, 2}, 3);
}

TEST_CASE("sliding equals starting from scratch for a window of one") {
    Config config;
    config.window_size = 1;
    config.max_shrubs = 3;
    check_random_lives(config, {2, 3, 2}, 4);
}
