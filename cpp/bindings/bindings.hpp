#pragma once

// The engine of a learner as Python sees it: the core in an arena of its own.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lock.hpp"
#include "rows.hpp"
#include "shrubs/auto/ensemble.hpp"
#include "shrubs/batch/auto_block_prediction.hpp"
#include "shrubs/paper/ensemble.hpp"
#include "shrubs/paper/windowed_tree.hpp"
#include "shrubs/window/class_weights.hpp"

namespace shrubs::bindings {

template <class T>
using Matrix =
    nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Vector = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// Bytes of the arena of a learner.
inline std::uint64_t arena_bytes(const Config& config, const Dimensions& dimensions,
                                 std::span<const std::uint8_t> /*nominal*/) {
    return PaperEnsemble::report(config, dimensions).total();
}
inline std::uint64_t arena_bytes(const TreeConfig& config, const Dimensions& dimensions,
                                 std::span<const std::uint8_t> /*nominal*/) {
    return WindowedTree::report(config, dimensions).total();
}
std::uint64_t arena_bytes(const AutoConfig& config, const Dimensions& dimensions,
                          std::span<const std::uint8_t> nominal);

/// Bytes by purpose, for Python.
nanobind::dict as_dict(const MemoryReport& bytes, std::size_t object_bytes);

/// The memory of an arena, full of zeros.
class ZeroedMemory {
 public:
    /// Raises MemoryError if there are not so many bytes.
    explicit ZeroedMemory(std::uint64_t n_bytes);
    std::span<std::byte> bytes() const { return {memory_.get(), n_bytes_}; }

 private:
    struct Free {
        void operator()(std::byte* memory) const;
    };
    std::size_t n_bytes_;
    std::unique_ptr<std::byte, Free> memory_;
};

/// What probabilities are multiplied by, one number per class; nothing where they stay as they are.
class ClassWeights {
 public:
    /// They stay as given.
    void give(const Window& window, std::vector<double> weights) {
        weights_ = std::move(weights);
        counts_.clear();
        n_examples_ = window.size();
    }
    /// They follow the window, so that its classes are balanced.
    void balance(const Window& window, std::size_t n_classes) {
        counts_.resize(n_classes);
        weights_.resize(n_classes);
        count_classes(window, counts_);
        std::ranges::transform(counts_, weights_.begin(), balancing_weight);
        n_examples_ = window.size();
    }
    /// Before an example comes into the window.
    void learn(const Window& window, std::uint16_t label) {
        n_examples_ = std::min(window.size() + 1, window.capacity());
        if (!counts_.empty()) {
            if (window.is_full()) {
                const std::uint16_t leaving = window.labels()[window.slot(0)];
                weights_[leaving] = balancing_weight(--counts_[leaving]);
            }
            weights_[label] = balancing_weight(++counts_[label]);
        }
    }
    void apply(std::span<double> f) const {
        if (!weights_.empty()) {
            weigh(weights_, n_examples_, f);
        }
    }
    std::span<const double> weights() const { return weights_; }
    std::uint32_t n_examples() const { return n_examples_; }
    std::size_t bytes() const {
        return weights_.size() * sizeof(double) + counts_.size() * sizeof(std::uint32_t);
    }

 private:
    std::vector<double> weights_;
    std::vector<std::uint32_t> counts_;  ///< where they follow the window
    std::uint32_t n_examples_ = 0;
};

/// Owns the arena. Not copied or moved: the ensemble points into it.
template <class Ensemble>
class LearnerOf {
 public:
    template <class SomeConfig>
    LearnerOf(const SomeConfig& config, const Dimensions& dimensions,
              std::span<const std::uint8_t> nominal)
        : memory_(arena_bytes(config, dimensions, nominal)),
          ensemble_(config, dimensions, nominal, memory_.bytes()) {}
    LearnerOf(const LearnerOf&) = delete;
    LearnerOf& operator=(const LearnerOf&) = delete;

    Ensemble& ensemble() { return ensemble_; }
    const Ensemble& ensemble() const { return ensemble_; }
    std::size_t memory_bytes() const {
        return sizeof(LearnerOf) + memory_.bytes().size() + class_weights.bytes();
    }

    // As the ensemble does, with the weights of the classes.
    void predict(std::span<const float> x, std::span<double> f) const {
        ensemble_.predict(x, f);
        class_weights.apply(f);
    }
    void predict_next(std::span<const float> x, std::span<double> f) {
        ensemble_.predict_next(x, f);
        class_weights.apply(f);
    }
    void learn(const Example& example) {
        class_weights.learn(ensemble_.window(), example.label);
        ensemble_.learn(example);
    }
    void learn_next(const Example& example) {
        class_weights.learn(ensemble_.window(), example.label);
        ensemble_.learn_next(example);
    }

    ClassWeights class_weights;

 private:
    ZeroedMemory memory_;
    Ensemble ensemble_;
};

using PaperLearner = LearnerOf<PaperEnsemble>;
using TreeLearner = LearnerOf<WindowedTree>;
using AutoLearner = LearnerOf<AutoEnsemble>;

/// The weights, shrubs and shape of a learner at one moment, for prediction only. Never changes,
/// so any number of threads may use it.
class Snapshot {
 public:
    Snapshot(const Members& members, Task task, const Tables& tables, ClassWeights class_weights);

    const Members& members() const { return members_; }
    const ClassWeights& class_weights() const { return class_weights_; }
    const Tables& tables() const { return tables_; }
    Task task() const { return task_; }
    std::size_t memory_bytes() const;

 private:
    Task task_;
    Tables tables_;
    std::vector<std::byte> nodes_;
    std::vector<std::byte> leaves_;
    std::vector<std::uint16_t> n_inner_;
    std::vector<std::uint64_t> born_;
    std::vector<std::uint16_t> places_;
    std::vector<double> weights_;
    Members members_;
    ClassWeights class_weights_;
};

/// The same for the learner that needs no tuning: a copy of what it predicts from. Threads take
/// turns.
class AutoSnapshot {
 public:
    AutoSnapshot(const AutoLearner& learner, const Tables& tables)
        : learner_(learner.ensemble().config(), learner.ensemble().dimensions(),
                   learner.ensemble().nominal()),
          tables_(tables.without_sieve()) {
        learner_.ensemble().copy_predictor_from(learner.ensemble());
        learner_.class_weights = learner.class_weights;
    }
    const AutoLearner& learner() const { return learner_; }
    const AutoEnsemble& ensemble() const { return learner_.ensemble(); }
    const Tables& tables() const { return tables_; }
    std::size_t memory_bytes() {
        const Locked locked(lock);
        return learner_.memory_bytes() + tables_.memory_bytes() +
               (prepared ? prepared->memory_bytes() : 0);
    }
    void forget_prepared() {
        const Locked locked(lock);
        prepared.reset();
    }

    Lock lock;
    std::optional<AutoBlockPrediction> prepared;  ///< by the first batch for the next ones

 private:
    AutoLearner learner_;
    Tables tables_;
};

/// The nodes of a shrub in preorder, children after their parent: ("split", feature, threshold,
/// nominal, missing_left) and `leaf(index)`. A shrub may be as deep as its window is long, so this
/// keeps its own stack.
template <class Leaf>
nanobind::list nodes_as_list(NodeBytes node_bytes, const std::byte* nodes, std::uint32_t n_inner,
                             Leaf leaf) {
    struct Subtree {
        std::uint32_t first_node;
        std::uint32_t first_leaf;
        std::uint32_t n_inner;
    };
    nanobind::list result;
    std::vector<Subtree> waiting{{0, 0, n_inner}};
    while (!waiting.empty()) {
        const Subtree at = waiting.back();
        waiting.pop_back();
        if (at.n_inner == 0) {
            result.append(leaf(at.first_leaf));
            continue;
        }
        const Node node = read_node(node_bytes, nodes, at.first_node);
        result.append(nanobind::make_tuple("split", node.split.feature, node.split.threshold,
                                           node.split.nominal, node.split.missing_left));
        waiting.push_back({at.first_node + 1 + node.n_left, at.first_leaf + 1 + node.n_left,
                           at.n_inner - 1 - node.n_left});
        waiting.push_back({at.first_node + 1, at.first_leaf, node.n_left});
    }
    return result;
}

/// What a snapshot predicts from, as plain data.
nanobind::dict parts_of(const Snapshot& snapshot);
nanobind::dict parts_of(AutoSnapshot& snapshot);

/// The index of the largest entry, the first of equals.
std::size_t arg_max(std::span<const double> f);

template <class T>
void copy_row(const T* from, std::span<float> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = static_cast<float>(from[i]) + 0.0F;  // -0 becomes 0
    }
}

/// A new array of NumPy, and the memory that it owns.
template <class T, std::size_t n_dimensions>
class NewArray {
 public:
    explicit NewArray(std::array<std::size_t, n_dimensions> shape) : shape_(shape) {
        std::size_t size = 1;
        for (const std::size_t length : shape) {
            size *= length;
        }
        values_ = new T[size + 1];
        owner_ = nanobind::capsule(values_,
                                   [](void* values) noexcept { delete[] static_cast<T*>(values); });
    }
    T* data() { return values_; }
    nanobind::object to_python() {
        return nanobind::cast(
            nanobind::ndarray<nanobind::numpy, T>(values_, n_dimensions, shape_.data(), owner_));
    }

 private:
    std::array<std::size_t, n_dimensions> shape_;
    T* values_;
    nanobind::capsule owner_;
};

/// The kinds of the features as Python gives them, one byte each.
inline std::span<const std::uint8_t> as_kinds(const nanobind::bytes& nominal) {
    return {static_cast<const std::uint8_t*>(nominal.data()), nominal.size()};
}

void bind_learners(nanobind::module_& module);
void define_auto(nanobind::module_& module, nanobind::class_<AutoLearner>& learner);
// What all learners can do.
template <class AnyLearner>
void define_common(nanobind::class_<AnyLearner>& learner);
template <class AnyLearner>
void define_blocks(nanobind::class_<AnyLearner>& learner);
template <class AnyLearner>
void define_state(nanobind::class_<AnyLearner>& learner);
void bind_states(nanobind::module_& module);
void bind_owner(nanobind::module_& module);
void bind_snapshot(nanobind::module_& module);
void bind_parts(nanobind::module_& module);
void bind_checks(nanobind::module_& module);
void bind_alike_rows(nanobind::module_& module);
void bind_generators(nanobind::module_& module);

}  // namespace shrubs::bindings
