#pragma once

// All companions: the experts that vote beside the shrubs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "shrubs/auto/companions/linear_model.hpp"
#include "shrubs/auto/companions/naive_bayes.hpp"
#include "shrubs/auto/companions/neighbours.hpp"
#include "shrubs/auto/companions/no_change.hpp"
#include "shrubs/auto/companions/transitions.hpp"
#include "shrubs/auto/companions/trend.hpp"

namespace shrubs {

/// Those that recall come last.
using Companions = std::tuple<NaiveBayes, NaiveBayes, LinearModel, Neighbours, NoChange,
                              Transitions, Transitions, Transitions, Trend>;

inline Companions make_companions() {
    return {NaiveBayes("naive Bayes, slow to forget", 0.9998),
            NaiveBayes("naive Bayes, quick to forget", 0.998),
            LinearModel(),
            Neighbours(),
            NoChange(),
            Transitions("what follows a label", 1),
            Transitions("what follows two labels", 2),
            Transitions("what follows three labels", 3),
            Trend()};
}

inline constexpr std::size_t max_companions = std::tuple_size_v<Companions>;
/// The first ones, up to the neighbours, look at features.
inline constexpr std::size_t n_knowing_features = 4;
/// The place of the linear model, on which shrubs of a regression lean.
inline constexpr std::size_t linear_companion = 2;
/// The place of the neighbours.
inline constexpr std::size_t neighbours_companion = 3;
/// Where memory is short, they give way in this order.
inline constexpr std::array<std::size_t, 7> gives_way = {3, 1, 2, 0, 7, 6, 5};

/// Which of them there are.
using Chosen = std::array<bool, max_companions>;

/// Where those are that were chosen; nothing in the place of the others.
using ChosenCompanions = std::tuple<NaiveBayes*, NaiveBayes*, LinearModel*, Neighbours*, NoChange*,
                                    Transitions*, Transitions*, Transitions*, Trend*>;

/// Room for a companion, and its memory.
template <class Companion>
auto reserve_companion(Arena& arena, const Companion& companion, const CompanionSizes& sizes) {
    constexpr std::size_t n_words = Companion::object_bytes / sizeof(std::uint64_t);
    static_assert(sizeof(Companion) <= Companion::object_bytes);
    auto* const room = arena.array<std::uint64_t>(Purpose::weights, n_words).data();
    return std::pair(reinterpret_cast<Companion*>(room), companion.reserve(arena, sizes));
}

template <class Companion>
Companion& the(Companion& companion) {
    return companion;
}
template <class Companion>
Companion& the(Companion* companion) {
    return *companion;
}

/// Calls `visit(companion, i)` for each that was chosen, where `i` counts these.
template <class SomeCompanions, class Visit>
void for_each_chosen(SomeCompanions& companions, const Chosen& chosen, Visit visit) {
    std::apply(
        [&](auto&... companion) {
            std::size_t at = 0;
            std::uint32_t i = 0;
            ((chosen[at++] ? visit(the(companion), i++) : void()), ...);
        },
        companions);
}

/// The same for those that both have chosen: `visit(companion, other, i, j)`.
template <class Visit>
void for_each_common(const ChosenCompanions& companions, const Chosen& chosen,
                     const ChosenCompanions& others, const Chosen& other_chosen, Visit visit) {
    const auto visit_one = [&]<std::size_t at>(std::uint32_t& i, std::uint32_t& j) {
        if (chosen[at] && other_chosen[at]) {
            visit(*std::get<at>(companions), *std::get<at>(others), i, j);
        }
        i += chosen[at] ? 1 : 0;
        j += other_chosen[at] ? 1 : 0;
    };
    std::uint32_t i = 0;
    std::uint32_t j = 0;
    [&]<std::size_t... at>(std::index_sequence<at...>) {
        (visit_one.template operator()<at>(i, j), ...);
    }(std::make_index_sequence<max_companions>());
}

}  // namespace shrubs
