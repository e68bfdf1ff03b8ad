#pragma once

// The learner as Python sees it: the core in an arena of its own, and the tables beside it.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "rows.hpp"
#include "shrubs/auto/ensemble.hpp"
#include "shrubs/paper/ensemble.hpp"

namespace shrubs::bindings {

template <class T>
using Matrix =
    nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Vector = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Output =
    nanobind::ndarray<double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

/// Bytes of the arena of a learner.
std::uint64_t arena_bytes(const Config& config, const Dimensions& dimensions,
                          std::span<const std::uint8_t> nominal);
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

/// Owns the arena. Not copied or moved: the ensemble points into it.
template <class Ensemble>
class LearnerOf {
 public:
    template <class SomeConfig>
    LearnerOf(const SomeConfig& config, const Dimensions& dimensions,
              std::span<const std::uint8_t> nominal)
        : memory_(arena_bytes(config, dimensions, nominal)),
          ensemble_(config, dimensions, nominal, memory_.bytes()) {
        for (std::size_t i = 0; i < nominal.size(); ++i) {
            tables.categories.append(nanobind::none());
        }
    }
    LearnerOf(const LearnerOf&) = delete;
    LearnerOf& operator=(const LearnerOf&) = delete;

    Ensemble& ensemble() { return ensemble_; }
    const Ensemble& ensemble() const { return ensemble_; }
    std::size_t memory_bytes() const { return sizeof(LearnerOf) + memory_.bytes().size(); }

    Tables tables;
    std::atomic<bool> busy = false;

 private:
    ZeroedMemory memory_;
    Ensemble ensemble_;
};

using Learner = LearnerOf<PaperEnsemble>;
using AutoLearner = LearnerOf<AutoEnsemble>;

/// What came of an attempt to learn one row. Python has to look at a row or label that the tables
/// do not know, and at whatever is wrong; nothing is learned then.
enum class Learned : std::uint8_t { done, needs_python, done_and_froze };

/// Refuses a second thread while one is inside the learner without the GIL.
class Busy {
 public:
    explicit Busy(std::atomic<bool>& busy);
    ~Busy() { busy_.store(false, std::memory_order_release); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

 private:
    std::atomic<bool>& busy_;
};

/// The weights, shrubs and shape of a learner at one moment, for prediction only. Never changes,
/// so any number of threads may use it.
class Snapshot {
 public:
    explicit Snapshot(const PaperEnsemble& ensemble);

    const Members& members() const { return members_; }
    std::span<const std::uint8_t> nominal() const { return nominal_; }
    Task task() const { return task_; }
    std::size_t memory_bytes() const;

    Tables tables;

 private:
    Task task_;
    std::vector<std::uint8_t> nominal_;
    std::vector<std::byte> nodes_;
    std::vector<std::byte> leaves_;
    std::vector<std::uint16_t> n_inner_;
    std::vector<std::uint64_t> born_;
    std::vector<std::uint16_t> places_;
    std::vector<double> weights_;
    Members members_;
};

/// The same for the learner that needs no tuning: a copy of it. Threads take turns.
class AutoSnapshot {
 public:
    explicit AutoSnapshot(const AutoEnsemble& ensemble)
        : learner_(ensemble.config(), ensemble.dimensions(), ensemble.nominal()) {
        learner_.ensemble().copy_from(ensemble);
    }
    const AutoEnsemble& ensemble() const { return learner_.ensemble(); }
    std::size_t memory_bytes() const { return learner_.memory_bytes(); }

    Tables tables;
    std::mutex turn;

 private:
    AutoLearner learner_;
};

/// f(x) of the example in `row()`: `(n_classes,)`, or `(1,)` for a regression.
void predict_auto_row(const AutoEnsemble& ensemble, std::span<double> f);

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

/// The index of the largest entry, the first of equals.
std::size_t arg_max(std::span<const double> f);

template <class T>
void copy_row(const T* from, std::span<float> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = static_cast<float>(from[i]) + 0.0F;  // -0 becomes 0
    }
}

/// The kinds of the features as Python gives them, one byte each.
inline std::span<const std::uint8_t> as_kinds(const nanobind::bytes& nominal) {
    return {static_cast<const std::uint8_t*>(nominal.data()), nominal.size()};
}

void bind_ensemble(nanobind::module_& module);
void define_auto(nanobind::module_& module, nanobind::class_<AutoLearner>& learner);
// What both kinds of learner can do.
template <class AnyLearner>
void define_common(nanobind::class_<AnyLearner>& learner);
template <class AnyLearner>
void define_blocks(nanobind::class_<AnyLearner>& learner);
template <class AnyLearner>
void define_rows(nanobind::class_<AnyLearner>& learner);
void define_views(nanobind::class_<Learner>& learner);
void define_state(nanobind::module_& module, nanobind::class_<Learner>& learner,
                  nanobind::class_<AutoLearner>& auto_learner);
void bind_snapshot(nanobind::module_& module);
void bind_parts(nanobind::module_& module);
void bind_checks(nanobind::module_& module);
void bind_generators(nanobind::module_& module);

}  // namespace shrubs::bindings
