#include "shrubs/generators/random_rbf.hpp"

#include <algorithm>
#include <cmath>

namespace shrubs {

namespace {

constexpr std::size_t n_guides = 256;
constexpr double units = 0x1p52;

// Rounds to a multiple of 2^-52.
double to_grid(double value) {
    return (1.0 + value) - 1.0;
}

double length(std::span<const double> direction) {
    double squares = 0.0;
    for (const double u : direction) {
        squares += u * u;
    }
    return std::sqrt(squares);
}

void draw_direction(Random& random, std::span<double> direction) {
    for (double& u : direction) {
        u = 2.0 * random.uniform() - 1.0;
    }
}

}  // namespace

RandomRbf::RandomRbf(const RandomRbfOptions& options)
    : random_(options.seed, 0),
      n_features_(options.n_features),
      centroids_(options.n_centroids),
      coordinates_(std::size_t{options.n_centroids} * options.n_features),
      weight_until_(options.n_centroids),
      guide_(n_guides),
      direction_(options.n_features) {
    Random model(options.model_seed, 1);
    double total = 0.0;
    for (std::size_t i = 0; i < centroids_.size(); ++i) {
        for (std::size_t j = 0; j < n_features_; ++j) {
            coordinates_[i * n_features_ + j] = {to_grid(model.uniform()), 0.0};
        }
        centroids_[i].label = static_cast<std::uint16_t>(model.below(options.n_classes));
        centroids_[i].deviation = model.uniform();
        centroids_[i].moved_at = 0;
        total += model.uniform();
        weight_until_[i] = total;
    }
    set_speeds(options, model);
    set_guide();
}

// As in MOA, all directions point upwards at first.
void RandomRbf::set_speeds(const RandomRbfOptions& options, Random& model) {
    for (std::size_t i = 0; i < options.n_drift_centroids; ++i) {
        for (double& u : direction_) {
            u = model.uniform();
        }
        const double norm = length(direction_);
        for (std::size_t j = 0; j < n_features_ && norm > 0.0; ++j) {
            coordinates_[i * n_features_ + j].speed =
                to_grid(options.speed * (direction_[j] / norm));
        }
    }
}

void RandomRbf::set_guide() {
    for (std::size_t i = 0; i < n_guides; ++i) {
        const double target =
            static_cast<double>(i) / static_cast<double>(n_guides) * weight_until_.back();
        const auto found = std::ranges::upper_bound(weight_until_, target);
        guide_[i] = static_cast<std::uint32_t>(found - weight_until_.begin());
    }
}

std::size_t RandomRbf::memory_bytes() const {
    return sizeof(*this) + centroids_.capacity() * sizeof(Centroid) +
           coordinates_.capacity() * sizeof(Coordinate) +
           (weight_until_.capacity() + direction_.capacity()) * sizeof(double) +
           guide_.capacity() * sizeof(std::uint32_t);
}

// The first centroid whose weights so far exceed a uniform part of all weights.
std::size_t RandomRbf::draw_centroid() {
    const double u = random_.uniform();
    const double target = u * weight_until_.back();
    const std::size_t last = centroids_.size() - 1;
    std::size_t i = guide_[static_cast<std::size_t>(u * static_cast<double>(n_guides))];
    while (i < last && weight_until_[i] <= target) {
        ++i;
    }
    return std::min(i, last);
}

void RandomRbf::Coordinate::turn_round(std::uint64_t n_steps) {
    // In units of the grid: first to the wall, then from wall to wall.
    const auto wall = static_cast<std::uint64_t>(units);
    const auto step = static_cast<std::uint64_t>(std::abs(speed) * units);
    const auto height = static_cast<std::uint64_t>(centre * units);
    const bool is_rising = speed > 0.0;
    const std::uint64_t after = n_steps - ((is_rising ? wall - height : height) / step + 1);
    const std::uint64_t steps_across = wall / step + 1;
    const bool was_last_at_one = is_rising == ((after / steps_across) % 2 == 0);
    const double way = static_cast<double>(after % steps_across * step) / units;
    centre = was_last_at_one ? 1.0 - way : way;
    speed = was_last_at_one ? -std::abs(speed) : std::abs(speed);
}

std::uint16_t RandomRbf::next(std::span<float> x) {
    ++step_;
    const std::size_t drawn = draw_centroid();
    Centroid& centroid = centroids_[drawn];
    draw_direction(random_, direction_);
    const double norm = length(direction_);
    const double distance = normal_.draw(random_) * centroid.deviation;
    const double scale = norm > 0.0 ? distance / norm : 0.0;
    const std::uint64_t n_steps = step_ - centroid.moved_at;
    const std::span<Coordinate> coordinates(coordinates_.data() + drawn * n_features_, n_features_);
    for (std::size_t j = 0; j < coordinates.size(); ++j) {
        coordinates[j].advance(n_steps);
        x[j] = static_cast<float>(coordinates[j].centre + direction_[j] * scale) + 0.0F;
    }
    centroid.moved_at = step_;
    return centroid.label;
}

}  // namespace shrubs
