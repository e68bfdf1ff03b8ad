#include "shrubs/auto/few_examples.hpp"

#include <algorithm>

#include "shrubs/simd/dispatch.hpp"
#include "shrubs/simd/words.hpp"

namespace shrubs {

namespace {

constexpr std::uint32_t no_feature = ~std::uint32_t{0};

// Without a branch or a call, so that several are counted at a time.
std::uint32_t count_ones(std::uint32_t bits) {
    bits -= bits >> 1U & 0x55555555U;
    bits = (bits & 0x33333333U) + (bits >> 2U & 0x33333333U);
    return ((bits + (bits >> 4U)) & 0x0F0F0F0FU) * 0x01010101U >> 24U;
}

std::uint32_t nth_one(std::uint32_t bits, std::uint32_t n) {
    for (; n > 0; --n) {
        bits &= bits - 1;
    }
    return static_cast<std::uint32_t>(std::countr_zero(bits));
}

}  // namespace

// Features side by side; the last of them may begin before those before them end.
template <class Words>
[[gnu::always_inline]] inline bool FewExamples::take_rows(const Rows& rows) {
    using Floats = typename Words::Floats;
    for (std::uint32_t begin = 0; begin < n_features_; begin += Words::size) {
        const std::uint32_t first = std::min(begin, n_features_ - Words::size);
        Floats low = Floats::load(rows[0] + first);
        Floats high = low;
        for (std::uint32_t i = 1; i < n_; ++i) {
            const Floats values = Floats::load(rows[i] + first);
            low = Floats::smaller(values, low);
            high = Floats::larger(values, high);
        }
        Words has_two = Words::all(~std::uint32_t{0});
        Words upper = Words::all(0);
        for (std::uint32_t i = 0; i < n_; ++i) {
            const Floats values = Floats::load(rows[i] + first);
            const Words is_high = Words::where_equal(values, high);
            has_two = has_two & (Words::where_equal(values, low) | is_high);
            upper = upper | (is_high & Words::all(std::uint32_t{1} << i));
        }
        low.store(low_.data() + first);
        high.store(high_.data() + first);
        upper.store(upper_.data() + first);
        if (!has_two.are_all_set()) {
            return false;
        }
    }
    return true;
}

template <class Words>
[[gnu::always_inline]] inline void FewExamples::find_alike(const Labels& labels) {
    for (std::uint32_t first = 0; first < n_; first += Words::size) {
        const Words its_label = Words::load(labels.data() + first);
        Words alike = Words::all(0);
        for (std::uint32_t i = 0; i < n_; ++i) {
            alike = alike | (Words::where_equal(its_label, Words::all(labels[i])) &
                             Words::all(std::uint32_t{1} << i));
        }
        alike.store(alike_.data() + first);
    }
}

// With L of the T examples of a class on one side, whichever it is, and n of all N:
// sum R^2 = sum T^2 - 2 sum T L + sum L^2, and the score is
// (sum L^2 (N - n) + sum R^2 n) / (n (N - n)), of whole numbers that a float holds.
template <class Words, std::size_t n_blocks>
[[gnu::always_inline]] inline void FewExamples::judge_blocks(std::uint32_t node, std::uint32_t n,
                                                             const std::uint32_t* first) {
    using Floats = typename Words::Floats;
    Words upper[n_blocks];
    Words n_upper[n_blocks];
    Words both[n_blocks];  // sum L^2, and sum T L times 2^16
    for (std::size_t k = 0; k < n_blocks; ++k) {
        upper[k] = Words::load(upper_.data() + first[k]);
        n_upper[k] = both[k] = Words::all(0);
    }
    std::uint32_t all_squares = 0;
    for (std::uint32_t rest = node; rest != 0;) {
        const auto example = static_cast<std::size_t>(std::countr_zero(rest));
        const std::uint32_t members = alike_[example] & node;
        const std::uint32_t total = count_ones(members);
        all_squares += total * total;
        rest &= ~members;
        for (std::size_t k = 0; k < n_blocks; ++k) {
            const Words count = (upper[k] & Words::all(members)).count_ones();
            n_upper[k] = n_upper[k] + count;
            both[k] = both[k] + count * (count + Words::all(total << 16U));
        }
    }
    const Words all = Words::all(n);
    for (std::size_t k = 0; k < n_blocks; ++k) {
        const Words squares = both[k] & Words::all(0xFFFF);
        const Words crossed = both[k] >> 16;
        const Words above =
            squares * all + (Words::all(all_squares) - crossed - crossed) * n_upper[k];
        const Words below = n_upper[k] * (all - n_upper[k]);
        const Floats positive = Floats::larger(below.as_floats(), Floats::all(1.0F));
        (above.as_floats() / positive).store(scores_.data() + first[k]);
    }
}

// The words of features, and of what is recalled.
template <class Words>
[[gnu::always_inline]] inline void FewExamples::judge_all(std::uint32_t node, std::uint32_t n) {
    std::array<std::uint32_t, n_words / FourWords::size> first;
    std::size_t n_blocks = 0;
    for (std::uint32_t begin = 0; begin < n_features_; begin += Words::size) {
        first[n_blocks++] = begin;
    }
    if (n_recalled_ > 0) {
        first[n_blocks++] = first_recalled;
    }
    std::size_t k = 0;
    for (; k + 3 <= n_blocks; k += 3) {
        judge_blocks<Words, 3>(node, n, first.data() + k);
    }
    for (; k < n_blocks; ++k) {
        judge_blocks<Words, 1>(node, n, first.data() + k);
    }
}

#ifdef SHRUBS_AVX2
[[gnu::target("avx2")]] bool FewExamples::take_avx2(const Rows& rows) {
    return take_rows<EightWords>(rows);
}
[[gnu::target("avx2")]] void FewExamples::find_alike_avx2(const Labels& labels) {
    find_alike<EightWords>(labels);
}
[[gnu::target("avx2")]] void FewExamples::judge_avx2(std::uint32_t node, std::uint32_t n) {
    judge_all<EightWords>(node, n);
}
#endif

bool FewExamples::take(const Window& window, std::span<const std::uint16_t> slots) {
    n_ = static_cast<std::uint32_t>(slots.size());
    n_features_ = window.n_features();
    std::ranges::copy(slots, slots_.begin());
    upper_.fill(0);
    scores_.fill(0.0F);
    Rows rows;
    for (std::uint32_t i = 0; i < n_; ++i) {
        rows[i] = window.row(slots_[i]);
    }
    if (!take_rows(rows)) {
        return false;
    }
    n_recalled_ = 0;
    Labels labels{};
    for (std::uint32_t i = 0; i < n_; ++i) {
        labels[i] = window.labels()[slots_[i]];
    }
    find_alike(labels);
    return true;
}

void FewExamples::find_alike(const Labels& labels) {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        return find_alike_avx2(labels);
    }
#endif
    find_alike<FourWords>(labels);
}

void FewExamples::take_recalled(const Window& window, std::uint32_t lag) {
    n_recalled_ = recalled_features;
    for (std::uint32_t i = 0; i < recalled_features; ++i) {
        const RecalledValues values(window, i, 1.0, lag);
        for (std::uint32_t example = 0; example < n_; ++example) {
            recalled_[i][example] = values[slots_[example]];
        }
    }
}

bool FewExamples::take_rows(const Rows& rows) {
#ifdef SHRUBS_AVX2
    if (n_features_ >= EightWords::size && has_avx2()) {
        return take_avx2(rows);
    }
#endif
    return take_rows<FourWords>(rows);
}

std::uint32_t FewExamples::n_alike(std::uint32_t node) const {
    const auto first = static_cast<std::size_t>(std::countr_zero(node));
    const std::uint32_t others = node & ~alike_[first];
    // The bits below the lowest one of the others.
    return count_ones(node & ~others & (others - 1));
}

std::span<std::uint16_t> FewExamples::copy_slots(std::uint32_t node,
                                                 std::span<std::uint16_t> slots) const {
    std::size_t n = 0;
    for (; node != 0; node &= node - 1) {
        slots[n++] = slots_[static_cast<std::size_t>(std::countr_zero(node))];
    }
    return slots.first(n);
}

FewExamples::Found FewExamples::find_split(const Window& window, std::uint32_t node,
                                           std::uint32_t n, std::uint32_t n_tried,
                                           std::uint32_t prime, Random& random) {
    NodeDraw draw(n_features_, prime, random);
    const std::uint32_t drawn = nth_one(node, draw.example(n));
    set_recalled(node, drawn);
    std::uint32_t best = 0;
    if (n == 2) {  // any cut of two examples has pure sides
        best = first_divided(node, draw);
    } else {
        judge(node, n);
        best = find_best(n_tried, draw);
    }
    if (best == no_feature) {
        return {};
    }
    const bool is_recalled = best >= first_recalled;
    const bool nominal = is_recalled || window.is_nominal(best);
    const bool goes_upper = nominal && (upper_[best] >> drawn & 1U) != 0;
    const std::uint32_t left = node & (goes_upper ? upper_[best] : ~upper_[best]);
    const std::uint32_t n_left = count_ones(left);
    Split split{.feature = is_recalled ? n_features_ + (best - first_recalled) : best,
                .nominal = nominal,
                .missing_left = 2 * n_left >= n};
    if (is_recalled) {
        split.threshold = recalled_[best - first_recalled][drawn];
    } else if (nominal) {
        split.threshold = window.row(slots_[drawn])[best];
    } else {
        split.threshold = cut_between(low_[best], high_[best], draw.share(best));
    }
    return {split, left, n_left};
}

// Those that recall the same as the drawn one.
void FewExamples::set_recalled(std::uint32_t node, std::uint32_t drawn) {
    for (std::uint32_t i = 0; i < n_recalled_; ++i) {
        const std::array<float, most>& values = recalled_[i];
        std::uint32_t same = 0;
        for (std::uint32_t rest = node; rest != 0; rest &= rest - 1) {
            const auto example = static_cast<std::uint32_t>(std::countr_zero(rest));
            same |= (values[example] == values[drawn] ? 1U : 0U) << example;
        }
        upper_[first_recalled + i] = same;
    }
}

void FewExamples::judge(std::uint32_t node, std::uint32_t n) {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        return judge_avx2(node, n);
    }
#endif
    judge_all<FourWords>(node, n);
}

// What is recalled comes first, then features in the order drawn.
std::uint32_t FewExamples::first_divided(std::uint32_t node, NodeDraw& draw) const {
    for (std::uint32_t i = 0; i < n_recalled_; ++i) {
        if (is_divided(node, first_recalled + i)) {
            return first_recalled + i;
        }
    }
    for (std::uint32_t i = 0; i < draw.prime(); ++i) {
        const std::uint32_t number = draw.next_number();
        if (is_divided(node, number)) {
            return number;
        }
    }
    return no_feature;
}

// The first of the best, in the same order. Scores are compared as whole numbers, without a branch
// that could be guessed wrong.
std::uint32_t FewExamples::find_best(std::uint32_t n_tried, NodeDraw& draw) const {
    std::uint32_t best = no_feature;
    std::uint32_t best_score = 0;
    const auto offer = [&](std::uint32_t number) {
        const auto score = std::bit_cast<std::uint32_t>(scores_[number]);
        // The difference of two positive floats, as whole numbers, has their order as its sign.
        const std::uint32_t better = 0U - ((best_score - score) >> 31U);
        best ^= (best ^ number) & better;
        best_score ^= (best_score ^ score) & better;
        return score != 0 ? 1U : 0U;
    };
    for (std::uint32_t i = 0; i < n_recalled_; ++i) {
        offer(first_recalled + i);
    }
    for (std::uint32_t i = 0; i < draw.prime() && n_tried > 0; ++i) {
        n_tried -= offer(draw.next_number());
    }
    return best;
}

}  // namespace shrubs
