#include <algorithm>
#include <cmath>
#include <vector>

#include "holders.hpp"
#include "shrubs/paper/losses/losses.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t n_shrubs = 4;

Config small_config(Task task, Loss loss) {
    Config config;
    config.task = task;
    config.loss = loss;
    config.max_shrubs = n_shrubs;
    config.window_size = 12;
    config.max_depth = 2;
    return config;
}

// Four shrubs, each grown on the window as it was, with their predictions on the window as it is.
class Scene {
 public:
    Scene(Task task, std::uint32_t n_classes, Loss loss = Loss::mse)
        : dimensions_{2, n_classes, 2},
          config_(small_config(task, loss)),
          window_(config_.window_size, {0, 0}, task),
          holder_(config_, dimensions_),
          plan_(make_plan(config_, dimensions_)),
          memory_(counted([&](Arena& arena) { shrubs::make_loss(arena, plan_); })),
          loss_(make_loss(Arena(memory_.bytes()))) {
        ExampleSource source(task == Task::regression ? 1 : n_classes, dimensions_, 9);
        for (std::uint64_t i = 0; i < 40; ++i) {
            const Example example = source.next();
            window_.add({example.x.begin(), example.x.end()},
                        task == Task::regression ? example.target : example.label);
            if (i % 8 == 7 && i > 7) {
                if (task == Task::regression) {
                    scale_ = scale_targets(window(), holder_.centred());
                }
                holder_.grow_member(window(), i, scale_);
            }
        }
        if (task == Task::regression) {
            scale_ = scale_targets(window(), holder_.centred());
        }
        const std::vector<double> weights = {0.125, 0.5, 0.25, 0.125};
        std::ranges::copy(weights, members().weights().begin());
        find_leaves();
    }

    Window& window() { return window_.window(); }
    Members& members() { return holder_.members(); }
    Fit fit() { return {members(), window()}; }
    const TargetScale& scale() const { return scale_; }
    std::span<double> centred() { return holder_.centred(); }

    std::vector<double> gradient(MemberRange range = {0, n_shrubs}) {
        std::vector<double> result(n_shrubs, 7.0);
        std::visit([&](auto& loss) { loss.gradient(fit(), range, result); }, loss_);
        return result;
    }
    double largest_descent() {
        return std::visit([&](auto& loss) { return loss.largest_descent(fit()); }, loss_);
    }

    // h_i(x_j)_c
    double h(std::uint32_t i, std::uint32_t slot, std::uint32_t c) {
        return members().layout().entry(members().leaves(i), members().leaf_ids(i).get(slot), c) /
               32768.0;
    }
    double f(std::uint32_t slot, std::uint32_t c) {
        double sum = 0.0;
        for (std::uint32_t i = 0; i < n_shrubs; ++i) {
            sum += members().weights()[i] * h(i, slot, c);
        }
        return sum;
    }

 private:
    void find_leaves() {
        std::vector<std::uint16_t> found(n_shrubs);
        std::vector<float> x(2);
        for (std::uint32_t age = 0; age < window().size(); ++age) {
            const std::uint32_t slot = window().slot(age);
            window().copy_example(slot, x);
            members().find_leaves(x, found);
            for (std::uint32_t i = 0; i < n_shrubs; ++i) {
                members().leaf_ids(i).set(slot, found[i]);
            }
            if (auto* mse = std::get_if<MseLoss>(&loss_)) {
                mse->add(fit(), {found, window().labels()[slot]});
            }
        }
        if (auto* error = std::get_if<TargetError>(&loss_)) {
            error->update(window());
        }
    }
    AnyLoss make_loss(Arena arena) { return shrubs::make_loss(arena, plan_); }

    Dimensions dimensions_;
    Config config_;
    WindowHolder window_;
    MembersHolder holder_;
    TargetScale scale_;
    Plan plan_;
    Memory memory_;
    AnyLoss loss_;
};

bool is_close(double a, double b) {
    return std::abs(a - b) <= 1e-12 * std::max({1.0, std::abs(a), std::abs(b)});
}

}  // namespace

TEST_CASE("the mse gradient is that of its definition") {
    for (const std::uint32_t n_classes : {2U, 3U, 30U}) {
        Scene scene(Task::classification, n_classes);
        CHECK_EQ(scene.members().size(), n_shrubs);
        const std::vector<double> gradient = scene.gradient();
        for (std::uint32_t i = 0; i < n_shrubs; ++i) {
            double sum = 0.0;
            for (std::uint32_t slot = 0; slot < 12; ++slot) {
                for (std::uint32_t c = 0; c < n_classes; ++c) {
                    const double y = scene.window().labels()[slot] == c ? 1.0 : 0.0;
                    sum += (scene.f(slot, c) - y) * scene.h(i, slot, c);
                }
            }
            CHECK(is_close(gradient[i], 2.0 / (12.0 * n_classes) * sum));
        }
    }
}

TEST_CASE("a range of the mse gradient has the same bits as the whole") {
    Scene scene(Task::classification, 3);
    const std::vector<double> whole = scene.gradient();
    for (std::uint32_t from = 0; from < n_shrubs; ++from) {
        for (std::uint32_t to = from; to <= n_shrubs; ++to) {
            const std::vector<double> part = scene.gradient({from, to});
            for (std::uint32_t i = 0; i < n_shrubs; ++i) {
                CHECK_EQ(part[i], i >= from && i < to ? whole[i] : 7.0);
            }
        }
    }
}

TEST_CASE("no shrub descends more than the largest mse descent") {
    Scene scene(Task::classification, 3);
    double wrong = 0.0;
    for (std::uint32_t slot = 0; slot < 12; ++slot) {
        wrong += 1.0 - scene.f(slot, scene.window().labels()[slot]);
    }
    const std::vector<double> gradient = scene.gradient();
    const double bound = scene.largest_descent();
    CHECK(is_close(bound, 2.0 / (12.0 * 3.0) * wrong));
    CHECK(-std::ranges::min(gradient) <= bound);
}

TEST_CASE("the cross-entropy gradient is that of its definition") {
    for (const std::uint32_t n_classes : {2U, 3U, 30U}) {
        Scene scene(Task::classification, n_classes, Loss::cross_entropy);
        const std::vector<double> gradient = scene.gradient();
        const double bound = scene.largest_descent();
        std::vector<double> expected(n_shrubs);
        double wrong = 0.0;
        for (std::uint32_t slot = 0; slot < 12; ++slot) {
            double total = 0.0;
            for (std::uint32_t c = 0; c < n_classes; ++c) {
                total += std::exp(scene.f(slot, c));
            }
            for (std::uint32_t c = 0; c < n_classes; ++c) {
                const double y = scene.window().labels()[slot] == c ? 1.0 : 0.0;
                const double error = std::exp(scene.f(slot, c)) / total - y;
                wrong -= y * error;
                for (std::uint32_t i = 0; i < n_shrubs; ++i) {
                    expected[i] += error * scene.h(i, slot, c) / 12.0;
                }
            }
        }
        for (std::uint32_t i = 0; i < n_shrubs; ++i) {
            CHECK(is_close(gradient[i], expected[i]));
            CHECK(-gradient[i] <= bound);
        }
        CHECK(is_close(bound, wrong / 12.0));
    }
}

TEST_CASE("a range of the cross-entropy gradient has the same bits as the whole") {
    Scene scene(Task::classification, 3, Loss::cross_entropy);
    const std::vector<double> whole = scene.gradient();
    CHECK_EQ(scene.gradient({2, 3}), std::vector<double>({7.0, 7.0, whole[2], 7.0}));
}

TEST_CASE("the regression gradient is that of its definition on scaled targets") {
    Scene scene(Task::regression, 0);
    const std::vector<double> gradient = scene.gradient();
    const double up = scene.scale().up;
    const auto predicted = [&](std::uint32_t i, std::uint32_t slot) {
        const Members& members = scene.members();
        return members.layout().value(members.leaves(i), members.leaf_ids(i).get(slot)) / up -
               scene.scale().centre;
    };
    for (std::uint32_t i = 0; i < n_shrubs; ++i) {
        double sum = 0.0;
        for (std::uint32_t slot = 0; slot < 12; ++slot) {
            double f = 0.0;
            for (std::uint32_t k = 0; k < n_shrubs; ++k) {
                f += scene.members().weights()[k] * predicted(k, slot);
            }
            sum += (f - scene.centred()[slot]) * predicted(i, slot);
        }
        CHECK(is_close(gradient[i], 2.0 / 12.0 * sum));
    }
}
