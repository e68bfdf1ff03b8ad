#pragma once

// Examples around moving centroids (random radial basis functions), as MOA draws them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shrubs/generators/normal.hpp"
#include "shrubs/numerics/random.hpp"

namespace shrubs {

struct RandomRbfOptions {
    std::uint64_t seed = 1;        ///< of the examples
    std::uint64_t model_seed = 1;  ///< of the centroids
    std::uint32_t n_features = 10;
    std::uint32_t n_classes = 2;
    std::uint32_t n_centroids = 50;
    std::uint32_t n_drift_centroids = 50;  ///< the first ones move, <= n_centroids
    double speed = 0.0;                    ///< length of a step, in [0, 1]; one step per example
};

/// An example is a centroid drawn by weight plus a random direction of normal length.
///
/// Every centroid moves before every example, but its place is worked out only when it is drawn.
/// That changes nothing: centres and speeds are multiples of 2^-52 below 2, so k small steps and
/// one step of k times the length give the same bits.
class RandomRbf {
 public:
    explicit RandomRbf(const RandomRbfOptions& options);

    std::size_t n_features() const { return n_features_; }
    std::size_t memory_bytes() const;

    /// Writes the next example's features, `x` is (n_features,), and returns its label.
    std::uint16_t next(std::span<float> x);

 private:
    struct Centroid {
        double deviation;
        std::uint64_t moved_at;  // the step that its centre belongs to
        std::uint16_t label;
    };
    // One coordinate of one centroid. One step adds the speed; what would pass 0 or 1 stops there
    // and turns round.
    struct Coordinate {
        double centre;
        double speed;

        void advance(std::uint64_t n_steps) {
            const double moved = centre + speed * static_cast<double>(n_steps);
            if (moved >= 0.0 && moved <= 1.0) {
                centre = moved;
            } else {
                turn_round(n_steps);
            }
        }
        void turn_round(std::uint64_t n_steps);
    };

    void set_speeds(const RandomRbfOptions& options, Random& model);
    void set_guide();
    std::size_t draw_centroid();

    Random random_;
    Normal normal_;
    std::size_t n_features_;
    std::uint64_t step_ = 0;
    std::vector<Centroid> centroids_;
    std::vector<Coordinate> coordinates_;  // (n_centroids, n_features)
    std::vector<double> weight_until_;     // (n_centroids,), sums of the weights so far
    std::vector<std::uint32_t> guide_;     // where to start looking, by the top bits of the draw
    std::vector<double> direction_;        // (n_features,)
};

}  // namespace shrubs
