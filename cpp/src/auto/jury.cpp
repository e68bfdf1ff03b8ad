#include "shrubs/auto/jury.hpp"

#include "shrubs/tree/impurity.hpp"

namespace shrubs {

// Only the classes that came are touched.
double DividedJury::explained(std::span<const std::uint16_t> labels, std::span<std::uint32_t> lefts,
                              std::span<std::uint32_t> rights) const {
    for (const std::uint16_t slot : slots_) {
        lefts[labels[slot]] = 0;
        rights[labels[slot]] = 0;
    }
    std::uint64_t left_squares = 0;
    std::uint64_t right_squares = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const std::uint16_t label = labels[slots_[i]];
        (left_[i] != 0 ? left_squares : right_squares) +=
            2 * (left_[i] != 0 ? lefts : rights)[label]++ + std::uint64_t{1};
    }
    std::uint64_t squares = 0;
    for (const std::uint16_t slot : slots_) {  // those of a class, once for each of its examples
        squares += lefts[labels[slot]] + rights[labels[slot]];
    }
    const std::uint64_t n_right = slots_.size() - n_left_;
    return share(gini_score(left_squares, n_left_, right_squares, n_right),
                 static_cast<double>(squares), static_cast<double>(slots_.size()));
}

double DividedJury::share(double score, double undivided, double largest) const {
    const double least = undivided / static_cast<double>(slots_.size());
    const bool divides = n_left_ != 0 && n_left_ != slots_.size();
    return divides && largest > least ? (score - least) / (largest - least) : 0.0;
}

}  // namespace shrubs
