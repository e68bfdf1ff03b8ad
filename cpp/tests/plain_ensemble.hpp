#pragma once

// Algorithm 1 without any of its savings: no step is skipped, nothing is cached, and the window,
// the leaves and the Gram matrix are made anew for every example. The learner must agree to the
// bit.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "holders.hpp"
#include "shrubs/paper/gram.hpp"
#include "shrubs/paper/loss.hpp"
#include "shrubs/paper/prox.hpp"

namespace shrubs {

class PlainEnsemble {
 public:
    PlainEnsemble(const Config& config, const Dimensions& dimensions,
                  const std::vector<std::uint8_t>& nominal)
        : config_(config),
          dimensions_(dimensions),
          nominal_(nominal),
          holder_(config, dimensions),
          gradient_(config.max_shrubs + std::size_t{1}),
          found_(gradient_.size()),
          order_(gradient_.size()),
          products_(Gram::n_products(gradient_.size())),
          rights_(gradient_.size()),
          by_class_(gradient_.size() * dimensions.n_classes),
          gram_({products_, rights_, by_class_}) {}

    Members& members() { return holder_.members(); }

    void learn(const Example& example) {
        if (examples_.size() == config_.window_size) {
            examples_.pop_front();
        }
        const bool regression = config_.task == Task::regression;
        examples_.push_back({{example.x.begin(), example.x.end()},
                             regression ? example.target : static_cast<double>(example.label)});
        WindowHolder window(config_.window_size, nominal_, config_.task, config_.splitter);
        for (const Stored& stored : examples_) {
            window.add(stored.x, stored.y);
        }
        if (regression) {
            scale_ = scale_targets(window.window(), holder_.centred());
        }
        if (examples_seen_ % config_.grow_every == 0) {
            holder_.grow_member(window.window(), examples_seen_, scale_);
        }
        ++examples_seen_;
        find_leaves(window.window());
        for (std::uint32_t step = 0; step < config_.steps_per_example; ++step) {
            descend(window.window());
        }
        for (std::uint32_t i = members().size(); i-- > 0;) {
            if (members().weights()[i] == 0.0) {
                members().remove(i);
            }
        }
    }

 private:
    struct Stored {
        std::vector<float> x;
        double y;
    };

    void find_leaves(const Window& window) {
        gram_.clear();
        for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
            members().find_leaves(examples_[slot].x, found_);
            for (std::uint32_t i = 0; i < members().size(); ++i) {
                members().leaf_ids(i).set(slot, found_[i]);
            }
            if (config_.task == Task::classification) {
                gram_.add(members(), {found_, window.labels()[slot]}, 1.0);
            }
        }
    }

    void descend(const Window& window) {
        const MemberRange all{0, members().size()};

        if (config_.task == Task::regression) {
            regression_gradient(members(), window, scale_, holder_.centred(), gradient_);
        } else if (config_.loss == Loss::mse) {
            mse_gradient(members(), gram_, window.size(), all, gradient_);
        } else {
            std::vector<double> p(dimensions_.n_classes);
            cross_entropy_gradient(members(), window, all, p, gradient_);
        }
        const auto weights = members().weights().first(members().size());
        for (std::uint32_t i = 0; i < members().size(); ++i) {
            double change = config_.step_size * gradient_[i];
            if (config_.task == Task::regression) {
                change =
                    config_.target_scaling ? change / scale_.variance : change * scale_.squared();
            }
            weights[i] = std::clamp(weights[i] - change, -1e300, 1e300);
        }
        project_sparse_simplex(weights, config_.max_shrubs, order_);
    }

    Config config_;
    Dimensions dimensions_;
    std::vector<std::uint8_t> nominal_;
    std::deque<Stored> examples_;
    MembersHolder holder_;
    TargetScale scale_;
    std::vector<double> gradient_;
    std::vector<std::uint16_t> found_, order_;
    std::vector<double> products_, rights_;
    std::vector<std::int32_t> by_class_;
    Gram gram_;
    std::uint64_t examples_seen_ = 0;
};

}  // namespace shrubs
