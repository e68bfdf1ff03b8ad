#pragma once

// Notices when the concept changes, and remembers what the ensemble went by before and after.
//
// Shrubs of the longest window know the concept of the past. It has changed when they do worse than
// they did, and worse than the ensemble, which follows every change. How often classes come is not
// the concept. docs/no-tuning.md has the method in mathematics.

#include <cstdint>
#include <span>

#include "shrubs/auto/look.hpp"
#include "shrubs/auto/rise.hpp"
#include "shrubs/memory/arena.hpp"

namespace shrubs {

/// A change of concept. Examples are counted from 1.
struct Drift {
    std::uint64_t noticed = 0;  ///< at this example
    std::uint64_t began = 0;    ///< about there
    double evidence = 0.0;      ///< so many times as likely as by chance
    Look before;
    Look after;  ///< none until it was taken
};

class Drifts {
 public:
    static constexpr std::size_t max_remembered = 16;
    /// A look is begun every so many examples.
    static constexpr std::uint32_t look_every = 512;
    /// It is over after so many, with a shrub per example. The one after a drift is begun so many
    /// after it was noticed, or later.
    static constexpr std::uint32_t look_length = 160;

    struct Memory {
        std::span<Rise> rises;         ///< (2,) surprise of the past; its defeat by the ensemble
        std::span<RunningMean> means;  ///< (2 * width,) of both, by class
        std::span<std::uint64_t> last_of;  ///< (width,) the last example of a class
        std::span<Look> looks;             ///< (3,) at hand, the last, and the one before
        std::span<Drift> remembered;
        std::span<double> gains;  ///< (d + recalled_features,) of the look at hand
        std::span<double> past;   ///< (width,) scratch: what the past would say
    };
    static Memory reserve(Arena& arena, const AutoPlan& plan);
    static std::uint32_t n_remembered(std::uint64_t arena_bytes);

    Drifts() = default;
    explicit Drifts(const Memory& memory);

    /// Whether there is room for any.
    bool remembers() const { return !memory_.remembered.empty(); }
    /// All that were noticed; the last of them are remembered.
    std::uint64_t n_noticed() const { return n_noticed_; }
    std::size_t n_remembered() const;
    /// The oldest one that is remembered has index 0.
    const Drift& operator[](std::size_t index) const;
    /// Examples since the last one began, very many if there was none.
    std::uint64_t examples_since(std::uint64_t examples_seen) const;
    /// Evidence at hand that the concept is changing.
    double evidence() const { return evidence_; }
    /// Whether it is known that there is little of it, or nothing is watched.
    bool is_calm() const;

    /// Room for the prediction of the past.
    std::span<double> past() const { return memory_.past; }
    /// Compares what the past and the ensemble said of example `number`, counted from 1. The past
    /// knows the examples of a window of that length.
    void watch(Task task, std::span<const double> output, std::span<const double> target,
               std::uint64_t number, std::uint32_t length);

    /// The look at hand.
    Look& look() const { return memory_.looks[0]; }
    std::span<double> gains() const { return memory_.gains; }
    void begin_look(std::uint64_t number) const;
    void end_look() const;

    void forget_feature(std::uint32_t feature) const;
    void renumber_classes(ClassNumbers now) const;
    void archive(Archive& archive, std::span<const std::uint8_t> nominal, std::uint32_t n_classes,
                 std::uint64_t examples_seen);
    void copy_from(const Drifts& other);

 private:
    template <class Visit>
    void for_each_look(Visit visit) const;
    RunningMean& surprise_of(std::size_t label) const { return memory_.means[2 * label]; }
    RunningMean& defeat_of(std::size_t label) const { return memory_.means[2 * label + 1]; }
    void note(std::size_t label, std::uint64_t number, std::uint32_t length) const;
    void notice(std::uint64_t number);
    void begin_evidence();

    Memory memory_;
    double evidence_ = 0.0;
    std::uint64_t n_noticed_ = 0;
};

}  // namespace shrubs
