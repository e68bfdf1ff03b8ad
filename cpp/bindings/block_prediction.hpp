#pragma once

// The prediction of many rows: shrub by shrub, a block of rows at a time. Each row adds up its
// shrubs in the same order as alone, so the bits are the same.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "shrubs/unpacked_shrub.hpp"

namespace shrubs::bindings {

class BlockPrediction {
 public:
    BlockPrediction(const Members& members, Task task, std::size_t n_features, std::size_t width)
        : members_(members), task_(task), n_features_(n_features), width_(width) {}

    /// `X` is `(n_rows, n_features)`, `out` `(n_rows, width)`.
    template <class T>
    void predict(const T* X, std::size_t n_rows, double* out) {
        const std::size_t at_once = std::clamp<std::size_t>(
            block_bytes / (sizeof(float) * std::max<std::size_t>(n_features_, 1)), 1, n_rows + 1);
        for (std::size_t begin = 0; begin < n_rows; begin += at_once) {
            const std::size_t n = std::min(at_once, n_rows - begin);
            rows_.resize(n * n_features_);
            copy_row(X + begin * n_features_, rows_);
            predict_block({out + begin * width_, n * width_}, n);
        }
    }

 private:
    // What stays in a processor's cache while one shrub after the other walks through it.
    static constexpr std::size_t block_bytes = 1024 * 1024;

    void predict_block(std::span<double> out, std::size_t n);
    void find_leaves(std::uint32_t i, bool unpacked);
    void add_shrub(std::uint32_t i, std::span<double> out);

    const Members& members_;
    Task task_;
    std::size_t n_features_;
    std::size_t width_;
    std::vector<float> rows_;
    std::vector<std::uint32_t> keys_;
    std::vector<UnpackedNode> nodes_;
    std::vector<std::uint32_t> leaves_;
    std::vector<double> shares_;
};

}  // namespace shrubs::bindings
