#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "holders.hpp"
#include "shrubs/paper/errors.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t n_shrubs = 3;

// Three shrubs, the last of them grown on the window as it is.
class Scene {
 public:
    Scene(const Config& config, std::uint32_t n_classes, std::uint64_t seed)
        : dimensions_{2, n_classes, 2},
          window_(config.window_size, {0, 0}),
          holder_(config, dimensions_) {
        ExampleSource source(seed, dimensions_, 10);
        for (std::uint64_t i = 0; i < config.window_size; ++i) {
            add(source.next());
        }
        holder_.grow_member(window(), 0);
        for (std::uint64_t i = 0; i < config.window_size / 3; ++i) {
            add(source.next());
        }
        holder_.grow_member(window(), 1);
        add(source.next());
        holder_.grow_member(window(), 2);
        find_leaves();
    }

    const Window& window() { return window_.window(); }
    const Members& members() { return holder_.members(); }

    std::vector<std::int32_t> q(std::uint32_t i, std::uint32_t slot) {
        std::vector<std::int32_t> q(dimensions_.n_classes);
        members().layout().get_distribution(members().leaves(i), members().leaf_ids(i).get(slot),
                                            q);
        return q;
    }
    std::vector<std::int32_t> error(const Compared& compared, std::uint32_t slot) {
        std::vector<std::int32_t> error = q(compared.shrub, slot);
        if (compared.with == Compared::labels) {
            error[window().labels()[slot]] -= fixed_one;
            return error;
        }
        const auto other = q(compared.with, slot);
        std::ranges::transform(error, other, error.begin(), std::minus());
        return error;
    }

 private:
    void add(const Example& example) {
        window_.add({example.x.begin(), example.x.end()}, example.label);
    }
    void find_leaves() {
        std::vector<std::uint16_t> found(n_shrubs);
        std::vector<float> x(2);
        for (std::uint32_t slot = 0; slot < window().size(); ++slot) {
            window().copy_example(slot, x);
            members().find_leaves(x, found);
            for (std::uint32_t i = 0; i < n_shrubs; ++i) {
                members().leaf_ids(i).set(slot, found[i]);
            }
        }
    }

    Dimensions dimensions_;
    WindowHolder window_;
    MembersHolder holder_;
};

void check_errors(Scene& scene, const Compared& compared) {
    const std::uint32_t n_classes = scene.members().layout().n_classes();
    const std::uint32_t size = scene.window().size();
    std::vector<std::uint16_t> expected_slots;
    for (std::uint32_t age = 0; age < size; ++age) {
        const std::uint32_t slot = scene.window().slot(age);
        if (scene.error(compared, slot) != std::vector<std::int32_t>(n_classes)) {
            expected_slots.push_back(static_cast<std::uint16_t>(slot));
        }
    }
    std::ranges::sort(expected_slots);
    std::vector<std::uint16_t> slots(size);
    std::vector<std::int32_t> known(scene.members().n_inner(compared.shrub) + std::size_t{1});
    for (const auto& scratch : {std::span<std::int32_t>(), std::span(known)}) {
        slots.assign(size, 0);
        slots.resize(find_errors(scene.members(), compared, scene.window(), slots, scratch));
        CHECK_EQ(slots, expected_slots);
    }

    std::vector<std::int32_t> errors(slots.size() * n_classes, 77);
    const ErrorSums sums = measure_errors(scene.members(), compared, scene.window(), slots, errors);
    std::int64_t of_labels = 0;
    std::int64_t of_first = 0;
    std::vector<std::int64_t> products(n_shrubs);
    for (std::size_t at = 0; at < slots.size(); ++at) {
        const auto error = scene.error(compared, slots[at]);
        of_labels += error[scene.window().labels()[slots[at]]];
        of_first += error[0];
        for (std::uint32_t c = 0; c < n_classes; ++c) {
            CHECK_EQ(errors[at * n_classes + c], error[c] - error[0]);
            for (std::uint32_t i = 0; i < n_shrubs; ++i) {
                products[i] += std::int64_t{error[c]} * scene.q(i, slots[at])[c];
            }
        }
    }
    CHECK_EQ(sums.of_labels, of_labels);
    CHECK_EQ(sums.of_first, of_first);
    for (std::uint32_t i = 0; i < n_shrubs; ++i) {
        CHECK_EQ(fixed_one * sums.of_first + sum_products(scene.members(), i, slots, errors),
                 products[i]);
    }
}

void check_by_leaf(Scene& scene) {
    const std::uint32_t size = scene.window().size();
    std::vector<std::uint16_t> slots(size);
    std::vector<std::int32_t> ends(size, 77);
    const ByLeaf by_leaf = sort_by_leaf(scene.members(), n_shrubs - 1, scene.window(), slots, ends);
    for (std::uint32_t i = 0; i < n_shrubs; ++i) {
        std::int64_t expected = 0;
        for (std::uint32_t slot = 0; slot < size; ++slot) {
            const auto a = scene.q(i, slot);
            const auto b = scene.q(n_shrubs - 1, slot);
            expected = std::inner_product(a.begin(), a.end(), b.begin(), expected);
        }
        CHECK_EQ(sum_products(scene.members(), i, by_leaf), expected);
    }
}

void check_scenes(std::uint32_t window_size, std::uint32_t max_depth, std::uint32_t n_classes,
                  LeafKind kind) {
    Config config;
    config.max_shrubs = n_shrubs;
    config.window_size = window_size;
    config.max_depth = max_depth;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Scene scene(config, n_classes, seed);
        CHECK_EQ(scene.members().layout().kind(), kind);
        for (const bool avx2 : {false, true}) {
            allow_avx2(avx2);
            check_errors(scene, {n_shrubs - 1, Compared::labels});
            check_errors(scene, {n_shrubs - 1, n_shrubs - 2});
            if (kind == LeafKind::dense) {
                check_by_leaf(scene);
            }
        }
    }
}

}  // namespace

TEST_CASE("dense leaves err where they are not pure") {
    for (const std::uint32_t n_classes : {1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
        check_scenes(40, 3, n_classes, LeafKind::dense);
    }
}

TEST_CASE("sparse leaves err where they are not pure") {
    for (const std::uint32_t n_classes : {8U, 30U}) {
        check_scenes(40, 4, n_classes, LeafKind::sparse);
    }
}

TEST_CASE("shrubs of more than 256 leaves err as well") {
    check_scenes(300, 16, 3, LeafKind::dense);
}

TEST_CASE("dense leaves of many classes err as well") {
    check_scenes(120, 2, 12, LeafKind::dense);
}
