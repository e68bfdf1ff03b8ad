// A learner that goes on in another amount of memory, with more features or classes.

#include <algorithm>
#include <limits>

#include "shrubs/auto/ensemble.hpp"

namespace shrubs {

namespace {

// Buckets are found by the last bits of a hash, so one of few stands for some of many.
template <class Take>
void for_each_bucket(std::uint32_t n_from, std::uint32_t n_to, Take take) {
    if (n_from == 0 || n_to == 0) {
        return;
    }
    for (std::uint32_t i = 0; i < std::max(n_from, n_to); ++i) {
        take(i & (n_from - 1), i & (n_to - 1));
    }
}

// Rows of `n_from` numbers become the beginnings of rows of `n_to`.
template <class T>
void widen_rows(std::span<const T> from, std::size_t n_from, std::span<T> to, std::size_t n_to) {
    for (std::size_t row = 0; n_from > 0 && row < from.size() / n_from; ++row) {
        std::ranges::copy(from.subspan(row * n_from, n_from), to.subspan(row * n_to).begin());
    }
}

template <class T>
std::span<const T> rows(std::span<T> table, std::size_t first, std::size_t n, std::size_t width) {
    return table.subspan(first * width, n * width);
}

}  // namespace

void AutoEnsemble::adopt(const AutoEnsemble& other) {
    const std::size_t n_features = other.dimensions_.n_features;
    const std::size_t from = other.plan_.width;
    const std::size_t to = plan_.width;

    const std::uint32_t n_kept = std::min(other.window_.size(), plan_.window_size);
    std::ranges::fill(row_, std::numeric_limits<float>::quiet_NaN());
    for (std::uint32_t age = other.window_.size() - n_kept; age < other.window_.size(); ++age) {
        const std::uint32_t slot = other.window_.slot(age);
        std::copy_n(other.window_.row(slot), n_features, row_.begin());
        const bool classification = config_.task == Task::classification;
        window_.append(row_, classification ? other.window_.labels()[slot] : std::uint16_t{0},
                       classification ? 0.0 : other.window_.targets()[slot]);
    }

    for (std::uint32_t expert = 0; expert < plan_.n_experts; ++expert) {
        mixtures_.forget(expert);
    }
    // Both have their groups in the same order. In a short window several reactive groups are of
    // the same length: each has its own successor.
    std::uint32_t next = 0;
    for (std::uint32_t g = 0; g < plan_.n_groups; ++g) {
        const ShrubGroup& group = plan_.groups[g];
        for (std::uint32_t h = next; h < other.plan_.n_groups; ++h) {
            const ShrubGroup& old = other.plan_.groups[h];
            if (old.length != group.length || old.reactive != group.reactive) {
                continue;
            }
            since_grown_[g] = other.since_grown_[h];
            for (std::uint32_t i = 0; i < group.n_places; ++i) {
                adopt_shrub(other, old.first_place + i, group.first_place + i);
            }
            next = h + 1;
            break;
        }
    }

    widen_rows<double>(other.scale_.memory().means, 1, scale_.memory().means, 1);
    widen_rows<double>(other.scale_.memory().variances, 1, scale_.memory().variances, 1);
    widen_rows<std::uint16_t>(other.scale_.memory().seen, 1, scale_.memory().seen, 1);
    widen_rows<std::uint8_t>(other.scale_.memory().binary, 1, scale_.memory().binary, 1);
    for (std::uint32_t b = 0; b < std::min(plan_.n_bayes, other.plan_.n_bayes); ++b) {
        const NaiveBayes::Memory& old = other.bayes_[b].memory();
        const NaiveBayes::Memory& now = bayes_[b].memory();
        bayes_[b].set_next_weight(other.bayes_[b].next_weight());
        std::ranges::copy(old.n, now.n.begin());
        widen_rows<float>(old.means, from, now.means, to);
        widen_rows<float>(old.variances, from, now.variances, to);
        for_each_bucket(other.plan_.n_buckets, plan_.n_buckets,
                        [&](std::size_t bucket, std::size_t mine) {
                            for (std::size_t c = 0; c < from; ++c) {
                                now.buckets[mine * to + c] += old.buckets[bucket * from + c];
                            }
                        });
        adopt_weights(other, other.plan_.n_places + b, plan_.n_places + b);
    }
    if (plan_.has_linear && other.plan_.has_linear) {
        const LinearModel::Memory& old = other.linear_.memory();
        const LinearModel::Memory& now = linear_.memory();
        const std::size_t constant = dimensions_.n_features;
        const auto adopt_rows = [&](std::span<const float> before, std::span<float> after) {
            widen_rows<float>(rows(before, 0, n_features, from), from, after, to);
            widen_rows<float>(rows(before, n_features, 1, from), from, after.subspan(constant * to),
                              to);
            for_each_bucket(
                other.plan_.n_buckets, plan_.n_buckets, [&](std::size_t bucket, std::size_t mine) {
                    widen_rows<float>(rows(before, n_features + 1 + bucket, 1, from), from,
                                      after.subspan((constant + 1 + mine) * to), to);
                });
        };
        adopt_rows(old.weights, now.weights);
        adopt_rows(old.squares, now.squares);
        adopt_weights(other, other.plan_.n_experts - 1, plan_.n_experts - 1);
    }

    std::ranges::copy(other.mixtures_.losses(), mixtures_.losses().begin());
    mixtures_.update_shares();
    running_target_ = other.running_target_;
    loss_ = other.loss_;
    examples_seen_ = other.examples_seen_;
    update_present();
    mixtures_.restore({present_.data(), n_present_});
}

void AutoEnsemble::adopt_weights(const AutoEnsemble& other, std::uint32_t from, std::uint32_t to) {
    for (std::size_t k = 0; k < auto_step_sizes.size(); ++k) {
        mixtures_.set_weight(k, to, other.mixtures_.weight(k, from));
    }
}

// A shrub that has become too large for its place stays behind.
void AutoEnsemble::adopt_shrub(const AutoEnsemble& other, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t n_inner = other.n_inner_[from];
    if (!other.is_grown(from) || n_inner >= group_of(to).max_leaves) {
        return;
    }
    n_inner_[to] = static_cast<std::uint16_t>(n_inner);
    born_[to] = other.born_[from];
    losses_[to] = other.losses_[from];
    adopt_weights(other, from, to);
    std::copy_n(other.nodes(from), n_inner * static_cast<std::size_t>(NodeBytes::wide), nodes(to));
    const std::size_t old_bytes =
        static_cast<std::size_t>(auto_leaf_bytes(config_.task, other.plan_.width));
    const std::size_t new_bytes =
        static_cast<std::size_t>(auto_leaf_bytes(config_.task, plan_.width));
    std::fill_n(leaves(to), (n_inner + 1) * new_bytes, std::byte{0});
    widen_rows<std::byte>({other.leaves(from), (n_inner + 1) * old_bytes}, old_bytes,
                          {leaves(to), (n_inner + 1) * new_bytes}, new_bytes);
}

}  // namespace shrubs
