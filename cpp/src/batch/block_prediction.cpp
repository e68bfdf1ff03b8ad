#include "shrubs/batch/block_prediction.hpp"

#include <array>
#include <limits>

#include "shrubs/batch/order_key.hpp"

namespace shrubs {

namespace {

// Ranking a shrub pays when many rows follow.
constexpr std::size_t min_rows = 64;
constexpr std::size_t rows_per_inner_node = 8;

constexpr std::size_t max_shares = 32 * 1024;

// Adds the share of its leaf to each row. The usual widths are known to the compiler.
template <class Leaf, std::size_t width>
void add_shares(std::span<const Leaf> leaves, const double* shares, double* out) {
    for (std::size_t row = 0; row < leaves.size(); ++row) {
        std::array<double, width> sums;
        for (std::size_t c = 0; c < width; ++c) {
            sums[c] = out[row * width + c] + shares[leaves[row] * width + c];
        }
        std::ranges::copy(sums, out + row * width);
    }
}

template <class Leaf>
void add_shares(std::span<const Leaf> leaves, std::size_t width, const double* shares,
                double* out) {
    if (width == 1) {
        return add_shares<Leaf, 1>(leaves, shares, out);
    }
    if (width == 2) {
        return add_shares<Leaf, 2>(leaves, shares, out);
    }
    for (std::size_t row = 0; row < leaves.size(); ++row) {
        const double* const share = shares + leaves[row] * width;
        for (std::size_t c = 0; c < width; ++c) {
            out[row * width + c] += share[c];
        }
    }
}

}  // namespace

void BlockPrediction::predict_block(std::span<double> out, std::size_t n) {
    std::ranges::fill(out, 0.0);
    const bool ranked = pays_to_rank(n);
    if (ranked) {
        keys_.assign(RankedShrubs::whole_strips(n) * n_features_, 0);
        std::ranges::transform(rows_, keys_.begin(), order_key);
    }
    for (std::uint32_t i = 0; i < members_.size();) {
        if (const std::uint32_t n_ranked = ranked ? rank_from(i) : 0; n_ranked > 0) {
            add_ranked(out, n);
            i += n_ranked;
            continue;
        }
        leaves_.resize(n);
        for (std::size_t row = 0; row < n; ++row) {
            leaves_[row] =
                members_.find_leaf(i, std::span(rows_).subspan(row * n_features_, n_features_));
        }
        add_walked(i, out);
        ++i;
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

// Whether all shrubs are ranked that can be.
bool BlockPrediction::pays_to_rank(std::size_t n) const {
    std::size_t n_inner = 0;
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        n_inner += members_.n_inner(i);
    }
    return n >= min_rows && n * members_.size() >= rows_per_inner_node * n_inner;
}

// Ranks as many shrubs as find room, beginning with `first`; returns how many these are.
std::uint32_t BlockPrediction::rank_from(std::uint32_t first) {
    ranked_.clear();
    shares_.clear();
    first_shares_.clear();
    std::uint32_t i = first;
    while (i < members_.size() && shares_.size() < max_shares &&
           ranked_.add(members_.node_bytes(), members_.nodes(i), members_.n_inner(i))) {
        first_shares_.push_back(shares_.size());
        tabulate_shares(i);
        ++i;
    }
    ranked_.finish();
    return i - first;
}

void BlockPrediction::add_ranked(std::span<double> out, std::size_t n) {
    std::array<std::uint8_t, RankedShrubs::max_rows> room;
    for (std::size_t row = 0; row < n; row += RankedShrubs::max_rows) {
        const std::size_t n_now = std::min(RankedShrubs::max_rows, n - row);
        const auto leaves = std::span(room).first(RankedShrubs::whole_strips(n_now));
        ranked_.rank_rows(std::span(keys_).subspan(row * n_features_, leaves.size() * n_features_));
        for (std::size_t i = 0; i < ranked_.size(); ++i) {
            ranked_.find_leaves(i, leaves);
            add_shares(std::span<const std::uint8_t>(leaves).first(n_now), width_,
                       shares_.data() + first_shares_[i], out.data() + row * width_);
        }
    }
}

// The share of each leaf in the prediction is worked out once if there are more rows than leaves.
void BlockPrediction::add_walked(std::uint32_t i, std::span<double> out) {
    if (members_.n_inner(i) < leaves_.size()) {
        shares_.clear();
        tabulate_shares(i);
        add_shares(std::span<const std::uint32_t>(leaves_), width_, shares_.data(), out.data());
        return;
    }
    for (std::size_t row = 0; row < leaves_.size(); ++row) {
        add_leaf(i, leaves_[row], out.subspan(row * width_, width_));
    }
}

// Appends the share of each leaf, `(n_leaves, width)`.
void BlockPrediction::tabulate_shares(std::uint32_t i) {
    const std::size_t n_leaves = members_.n_inner(i) + std::size_t{1};
    const std::size_t first = shares_.size();
    shares_.resize(first + n_leaves * width_, 0.0);
    for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
        add_leaf(i, leaf, std::span(shares_).subspan(first + leaf * width_, width_));
    }
}

void BlockPrediction::add_leaf(std::uint32_t i, std::uint32_t leaf, std::span<double> f) const {
    const double weight = members_.weights()[i];
    if (task_ == Task::regression) {
        f[0] += weight * members_.layout().value(members_.leaves(i), leaf);
    } else {
        members_.layout().add_distribution(members_.leaves(i), leaf, weight, f);
    }
}

}  // namespace shrubs
