#pragma once

// The learner as Python sees it: the core in an arena of its own, and the tables beside it.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rows.hpp"
#include "shrubs/shrub_ensemble.hpp"

namespace shrubs::bindings {

template <class T>
using Matrix =
    nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Vector = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Output =
    nanobind::ndarray<double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

/// Owns the arena. Not copied or moved: the ensemble points into it.
class Learner {
 public:
    Learner(const Config& config, const Dimensions& dimensions,
            std::span<const std::uint8_t> nominal);

    ShrubEnsemble& ensemble() { return *ensemble_; }
    const ShrubEnsemble& ensemble() const { return *ensemble_; }
    std::size_t memory_bytes() const { return sizeof(Learner) + arena_bytes_; }

    Tables tables;
    std::atomic<bool> busy = false;

 private:
    struct Free {
        void operator()(std::byte* arena) const;
    };
    std::size_t arena_bytes_;
    std::unique_ptr<std::byte, Free> arena_;
    std::optional<ShrubEnsemble> ensemble_;
};

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
    explicit Snapshot(const ShrubEnsemble& ensemble);

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
void define_blocks(nanobind::class_<Learner>& learner);
void define_rows(nanobind::class_<Learner>& learner);
void define_views(nanobind::class_<Learner>& learner);
void define_state(nanobind::module_& module, nanobind::class_<Learner>& learner);
void bind_snapshot(nanobind::module_& module);
void bind_parts(nanobind::module_& module);
void bind_checks(nanobind::module_& module);
void bind_generators(nanobind::module_& module);

}  // namespace shrubs::bindings
