#pragma once

// Naive Bayes that forgets: numbers are normal in each class, features of zeros and ones and
// categories are counted.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "shrubs/auto/companions/companion.hpp"

namespace shrubs {

/// Works on memory that it does not own. Instead of shrinking all counts by the same factor with
/// every example, the weight of the next one grows; now and then all are scaled back.
class NaiveBayes {
 public:
    struct Memory {
        std::span<double> n;         ///< (C,) weight of the examples of each class
        std::span<float> means;      ///< (d * C,) NaN: never seen
        std::span<float> variances;  ///< (d * C,)
        std::span<float> buckets;    ///< (n_buckets * C,)
    };
    static Memory reserve(Arena& arena, const CompanionSizes& sizes);
    static constexpr bool recalls = false;
    static constexpr std::size_t object_bytes = 96;
    static constexpr bool serves(Task task) { return task == Task::classification; }

    NaiveBayes(const char* name, double forgetting) : name_(name), forgetting_(forgetting) {}

    void begin(const Memory& memory, const CompanionSizes& sizes);
    const char* name() const { return name_; }

    /// Probabilities of the classes; uniform before the first example.
    void predict(const Question& question, std::span<double> scratch,
                 std::span<float> prediction) const;
    void learn(const Question& question, const Lesson& lesson);

    /// Categories share their buckets with those of other features, so they fade instead.
    void forget_feature(std::size_t feature);
    void renumber_classes(ClassNumbers now);

    void archive(Archive& archive);
    void copy_from(const NaiveBayes& other);

    // What a prediction is the sum of, per class.

    double log_prior(std::size_t c, double total) const;
    double total() const;
    double log_category(std::size_t bucket, std::size_t c) const;
    double log_binary(std::size_t feature, std::size_t c, bool is_one) const;
    /// A normal density, never below `least_log_density`: constant - (x - mean)^2 / (2 variance).
    struct Normal {
        double constant = 0.0;
        double mean = 0.0;
        double variance = std::numeric_limits<double>::infinity();  ///< tells nothing

        double log_density(float x) const {
            const double difference = x - mean;
            return std::max(constant - 0.5 * difference * difference / variance, least_log_density);
        }
    };
    static constexpr double least_log_density = -10.0;
    /// `variance` is that of all classes.
    Normal normal(std::size_t feature, std::size_t c, double variance) const;
    std::uint32_t n_buckets() const { return n_buckets_; }

 private:
    // A zero or a one; its share in each class is `none` + `sign` times that of ones.
    struct Binary {
        const float* means;  // by class
        double none;
        double sign;
    };
    std::size_t add_binaries(const Question& question, std::size_t first, double* log_odds) const;
    void add_binaries_avx2(std::span<const Binary> values, double* log_odds) const;
    void add_binaries_to_four(std::span<const Binary> values, std::size_t c, const double* log_odds,
                              double* sums) const;
    // Adds what the value of a feature tells to the log odds of all classes.
    void add(const Question& question, std::size_t feature, double* log_odds) const;
    void add_portably(const Question& question, std::size_t feature, double* log_odds) const;
    void add_avx2(const Question& question, std::size_t feature, double* log_odds) const;
    void learn_number(std::size_t at, float x, double share);
    void scale_back();

    const char* name_;
    Memory memory_;
    double forgetting_;
    double next_weight_ = 1.0;
    std::uint32_t n_buckets_ = 0;
};

}  // namespace shrubs
