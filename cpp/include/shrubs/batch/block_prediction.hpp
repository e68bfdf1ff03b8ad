#pragma once

// The prediction of many rows: several shrubs at a time, a block of rows at a time. Each row adds
// up its shrubs in the same order as alone, so the bits are the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shrubs/batch/ranked_shrubs.hpp"
#include "shrubs/paper/config.hpp"
#include "shrubs/paper/members.hpp"

namespace shrubs {

class BlockPrediction {
 public:
    BlockPrediction(const Members& members, Task task, std::size_t n_features, std::size_t width)
        : members_(members),
          task_(task),
          n_features_(n_features),
          width_(width),
          ranked_(n_features) {}

    /// `X` is `(n_rows, n_features)`, `out` `(n_rows, width)`.
    template <class T>
    void predict(const T* X, std::size_t n_rows, double* out) {
        const std::size_t at_once = std::clamp<std::size_t>(
            block_bytes / (sizeof(float) * std::max<std::size_t>(n_features_, 1)), 1, n_rows + 1);
        for (std::size_t begin = 0; begin < n_rows; begin += at_once) {
            const std::size_t n = std::min(at_once, n_rows - begin);
            rows_.resize(n * n_features_);
            std::transform(X + begin * n_features_, X + (begin + n) * n_features_, rows_.begin(),
                           [](T value) { return static_cast<float>(value) + 0.0F; });  // -0 is 0
            predict_block({out + begin * width_, n * width_}, n);
        }
    }

 private:
    // What stays in a processor's cache while one shrub after the other walks through it.
    static constexpr std::size_t block_bytes = 1024 * 1024;

    void predict_block(std::span<double> out, std::size_t n);
    bool pays_to_rank(std::size_t n) const;
    std::uint32_t rank_from(std::uint32_t first);
    void add_ranked(std::span<double> out, std::size_t n);
    void add_walked(std::uint32_t i, std::span<double> out);
    void tabulate_shares(std::uint32_t i);
    void add_leaf(std::uint32_t i, std::uint32_t leaf, std::span<double> f) const;

    const Members& members_;
    Task task_;
    std::size_t n_features_;
    std::size_t width_;
    std::vector<float> rows_;
    std::vector<std::uint32_t> keys_;
    RankedShrubs ranked_;
    std::vector<std::uint32_t> leaves_;
    std::vector<double> shares_;
    std::vector<std::size_t> first_shares_;  // of each ranked shrub
};

}  // namespace shrubs
