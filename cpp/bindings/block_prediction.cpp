#include "block_prediction.hpp"

#include <limits>

namespace shrubs::bindings {

namespace {

constexpr std::size_t few_rows = 64;

bool is_missing(float value) {
    return value != value;
}

}  // namespace

void BlockPrediction::predict_block(std::span<double> out, std::size_t n) {
    std::ranges::fill(out, 0.0);
    leaves_.resize(n);
    // Unpacking pays when many rows follow.
    const bool unpacked = n >= few_rows && std::ranges::none_of(rows_, is_missing);
    if (unpacked) {
        keys_.resize(rows_.size());
        std::ranges::transform(rows_, keys_.begin(), order_key);
    }
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        find_leaves(i, unpacked);
        add_shrub(i, out);
    }
    if (task_ == Task::regression) {
        constexpr double largest = std::numeric_limits<double>::max();
        for (double& f : out) {
            f = std::clamp(f, -largest, largest);
        }
        return;
    }
    for (double& f : out) {
        f = members_.size() == 0 ? 1.0 / static_cast<double>(width_) : std::min(f, 1.0);
    }
}

void BlockPrediction::find_leaves(std::uint32_t i, bool unpacked) {
    if (unpacked) {
        nodes_.resize(UnpackedShrub::n_nodes(members_.n_inner(i)));
        const UnpackedShrub shrub(members_.node_bytes(), members_.nodes(i), members_.n_inner(i),
                                  nodes_);
        if (!shrub.has_nominal()) {
            shrub.find_leaves(keys_, n_features_, leaves_);
            return;
        }
    }
    for (std::size_t row = 0; row < leaves_.size(); ++row) {
        leaves_[row] =
            members_.find_leaf(i, std::span(rows_).subspan(row * n_features_, n_features_));
    }
}

// The share of each leaf in the prediction is worked out once if there are more rows than leaves.
void BlockPrediction::add_shrub(std::uint32_t i, std::span<double> out) {
    const std::size_t n_leaves = members_.n_inner(i) + std::size_t{1};
    const double weight = members_.weights()[i];
    const bool tabulated = n_leaves <= leaves_.size();
    shares_.assign(tabulated ? n_leaves * width_ : 0, 0.0);
    const auto add = [&](std::uint32_t leaf, std::span<double> to) {
        if (task_ == Task::regression) {
            to[0] += weight * members_.layout().value(members_.leaves(i), leaf);
        } else {
            members_.layout().add_distribution(members_.leaves(i), leaf, weight, to);
        }
    };
    for (std::uint32_t leaf = 0; tabulated && leaf < n_leaves; ++leaf) {
        add(leaf, std::span(shares_).subspan(leaf * width_, width_));
    }
    for (std::size_t row = 0; row < leaves_.size(); ++row) {
        const std::span<double> f = out.subspan(row * width_, width_);
        if (!tabulated) {
            add(leaves_[row], f);
            continue;
        }
        const double* share = shares_.data() + leaves_[row] * width_;
        for (std::size_t c = 0; c < width_; ++c) {
            f[c] += share[c];
        }
    }
}

}  // namespace shrubs::bindings
