#include "shrubs/tree/shrub.hpp"

#include <algorithm>
#include <array>

#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

namespace {

template <NodeBytes Bytes>
std::uint32_t walk(const std::byte* nodes, std::uint32_t n_inner, std::span<const float> x) {
    std::uint32_t node_index = 0;
    std::uint32_t leaf = 0;
    while (n_inner != 0) {
        const Node node = read_node<Bytes>(nodes, node_index);
        if (node.split.goes_left(x[node.split.feature])) {
            node_index += 1;
            n_inner = node.n_left;
        } else {
            node_index += 1 + node.n_left;
            leaf += 1 + node.n_left;
            n_inner -= 1 + node.n_left;
        }
    }
    return leaf;
}

// Where a walk is: the next node, how many inner nodes are left, and the first leaf of these.
struct Walk {
    const std::byte* node;
    std::uint32_t n_inner;
    std::uint32_t leaf;
};

// All bits or none: compilers make a branch of a choice, but not of a mask.
std::uint32_t mask(bool all) {
    return 0U - static_cast<std::uint32_t>(all);
}

// Whether it goes left, without a branch. No comparison with a missing value holds.
template <bool plain>
[[gnu::always_inline]] inline bool goes_left(const Split& split, float value) {
    const bool at_most = value <= split.threshold;
    if constexpr (plain) {
        return at_most;
    }
    const std::uint32_t of_numbers = mask(!split.nominal) & mask(at_most);
    const std::uint32_t of_categories = mask(split.nominal) & mask(value == split.threshold);
    return (of_numbers | of_categories | (mask(split.missing_left) & mask(value != value))) != 0;
}

// Takes a step without a branch; a walk that has ended stays where it is.
template <NodeBytes Bytes, bool plain>
[[gnu::always_inline]] inline void step(Walk& walk, const float* x) {
    const Node node = read_node<Bytes>(walk.node, 0);
    const std::uint32_t goes_on = mask(walk.n_inner != 0);
    const std::uint32_t right =
        mask(!goes_left<plain>(node.split, x[node.split.feature])) & goes_on;
    const std::uint32_t skipped = node.n_left & right;
    walk.n_inner =
        (node.n_left & goes_on) ^ ((node.n_left ^ (walk.n_inner - 1 - node.n_left)) & right);
    walk.leaf += skipped + (right & 1U);
    // The place behind the last node may not be there.
    const std::uint32_t n_passed = (1 + skipped) & mask(walk.n_inner != 0);
    walk.node += std::size_t{n_passed} * static_cast<std::size_t>(Bytes);
}

template <NodeBytes Bytes, bool plain>
void walk_together(std::span<const ShrubView, 4> shrubs, const float* x,
                   std::span<std::uint16_t, 4> found) {
    Walk a{shrubs[0].nodes, shrubs[0].n_inner, 0};
    Walk b{shrubs[1].nodes, shrubs[1].n_inner, 0};
    Walk c{shrubs[2].nodes, shrubs[2].n_inner, 0};
    Walk d{shrubs[3].nodes, shrubs[3].n_inner, 0};
    while ((a.n_inner | b.n_inner | c.n_inner | d.n_inner) != 0) {
        step<Bytes, plain>(a, x);
        step<Bytes, plain>(b, x);
        step<Bytes, plain>(c, x);
        step<Bytes, plain>(d, x);
    }
    found[0] = static_cast<std::uint16_t>(a.leaf);
    found[1] = static_cast<std::uint16_t>(b.leaf);
    found[2] = static_cast<std::uint16_t>(c.leaf);
    found[3] = static_cast<std::uint16_t>(d.leaf);
}

#ifdef SHRUBS_AVX2

// Where eight walks are, their nodes in bytes behind a common place.
struct EightWalks {
    __m256i nodes;
    __m256i n_inner;
    __m256i leaves;
};

// All bits where it goes left.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i eight_go_left(__m256 thresholds,
                                                                         __m256i meta,
                                                                         __m256 values) {
    const __m256 at_most = _mm256_cmp_ps(values, thresholds, _CMP_LE_OQ);
    const __m256 equal = _mm256_cmp_ps(values, thresholds, _CMP_EQ_OQ);
    const __m256 missing = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
    const __m256 nominal = _mm256_castsi256_ps(_mm256_slli_epi32(meta, 17));
    const __m256 missing_left =
        _mm256_castsi256_ps(_mm256_srai_epi32(_mm256_slli_epi32(meta, 16), 31));
    return _mm256_castps_si256(_mm256_or_ps(_mm256_blendv_ps(at_most, equal, nominal),
                                            _mm256_and_ps(missing, missing_left)));
}

using EightNumbers = std::array<std::int32_t, 8>;

[[gnu::target("avx2"), gnu::always_inline]] inline EightNumbers numbers_of(__m256i eight) {
    EightNumbers numbers;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(numbers.data()), eight);
    return numbers;
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i eight_of(const EightNumbers& numbers) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers.data()));
}

// Eight bytes of each place: a node and what may follow it.
[[gnu::target("avx2"), gnu::always_inline]] inline __m128 load_two(const std::byte* low,
                                                                   const std::byte* high) {
    const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(low));
    return _mm_loadh_pi(_mm_castsi128_ps(first), reinterpret_cast<const __m64*>(high));
}

// As `step`. Single loads are faster than those that gather.
template <NodeBytes Bytes>
[[gnu::target("avx2"), gnu::always_inline]] inline void step_eight(EightWalks& walks,
                                                                   const std::byte* base,
                                                                   const float* x) {
    constexpr bool small = Bytes == NodeBytes::small;
    const EightNumbers at = numbers_of(walks.nodes);
    const __m256 a =
        _mm256_set_m128(load_two(base + at[4], base + at[5]), load_two(base + at[0], base + at[1]));
    const __m256 b =
        _mm256_set_m128(load_two(base + at[6], base + at[7]), load_two(base + at[2], base + at[3]));
    const __m256 thresholds = _mm256_shuffle_ps(a, b, 0b10'00'10'00);
    const __m256i meta = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0b11'01'11'01));
    const __m256i n_left =
        small ? _mm256_and_si256(meta, _mm256_set1_epi32(0xFF)) : _mm256_srli_epi32(meta, 16);
    const EightNumbers f =
        numbers_of(small ? _mm256_and_si256(_mm256_srli_epi32(meta, 8), _mm256_set1_epi32(0x3F))
                         : _mm256_and_si256(meta, _mm256_set1_epi32(0x3FFF)));
    const __m256 values =
        _mm256_setr_ps(x[f[0]], x[f[1]], x[f[2]], x[f[3]], x[f[4]], x[f[5]], x[f[6]], x[f[7]]);
    const __m256i left = eight_go_left(thresholds, meta, values);
    const __m256i zero = _mm256_setzero_si256();
    const __m256i goes_on = _mm256_cmpgt_epi32(walks.n_inner, zero);
    const __m256i right = _mm256_andnot_si256(left, goes_on);
    const __m256i skipped = _mm256_and_si256(n_left, right);
    const __m256i behind_left =
        _mm256_sub_epi32(_mm256_sub_epi32(walks.n_inner, _mm256_set1_epi32(1)), n_left);
    walks.n_inner = _mm256_blendv_epi8(_mm256_and_si256(n_left, goes_on), behind_left, right);
    walks.leaves = _mm256_sub_epi32(_mm256_add_epi32(walks.leaves, skipped), right);
    const __m256i n_passed = _mm256_andnot_si256(_mm256_cmpeq_epi32(walks.n_inner, zero),
                                                 _mm256_add_epi32(skipped, _mm256_set1_epi32(1)));
    walks.nodes = _mm256_add_epi32(
        walks.nodes, _mm256_mullo_epi32(n_passed, _mm256_set1_epi32(static_cast<int>(Bytes))));
}

[[gnu::target("avx2"), gnu::always_inline]] inline bool is_walking(const EightWalks& walks) {
    return _mm256_testz_si256(walks.n_inner, walks.n_inner) == 0;
}

// Eight walks at a time, and as many of these side by side: while some wait for a node, others go
// on.
template <NodeBytes Bytes, std::size_t n_eights>
[[gnu::target("avx2")]] void walk_eights(std::span<const ShrubView> shrubs, const float* x,
                                         std::span<std::uint16_t> found) {
    EightWalks walks[n_eights];
    for (std::size_t k = 0; k < n_eights; ++k) {
        EightNumbers nodes;
        EightNumbers n_inner;
        for (std::size_t i = 0; i < 8; ++i) {
            const ShrubView& shrub = shrubs[8 * k + i];
            nodes[i] = static_cast<std::int32_t>(shrub.nodes - shrubs[0].nodes);
            n_inner[i] = static_cast<std::int32_t>(shrub.n_inner);
        }
        walks[k] = {eight_of(nodes), eight_of(n_inner), _mm256_setzero_si256()};
    }
    while (is_walking(walks[0]) || is_walking(walks[n_eights - 1])) {
        for (EightWalks& eight : walks) {
            step_eight<Bytes>(eight, shrubs[0].nodes, x);
        }
    }
    for (std::size_t k = 0; k < n_eights; ++k) {
        std::ranges::copy(numbers_of(walks[k].leaves), found.begin() + 8 * k);
    }
}

template <NodeBytes Bytes>
void walk_with_avx2(std::span<const ShrubView> shrubs, const float* x,
                    std::span<std::uint16_t> found) {
    shrubs.size() == 8 ? walk_eights<Bytes, 1>(shrubs, x, found)
                       : walk_eights<Bytes, 2>(shrubs, x, found);
}

bool are_near(std::span<const ShrubView> shrubs) {
    constexpr std::ptrdiff_t far = 1 << 30;
    return std::ranges::all_of(shrubs, [&](const ShrubView& shrub) {
        return shrub.nodes - shrubs[0].nodes < far && shrubs[0].nodes - shrub.nodes < far;
    });
}

#endif

}  // namespace

Node read_node(NodeBytes bytes, const std::byte* nodes, std::uint32_t index) {
    return bytes == NodeBytes::small ? read_node<NodeBytes::small>(nodes, index)
                                     : read_node<NodeBytes::wide>(nodes, index);
}

void write_node(NodeBytes bytes, std::byte* nodes, std::uint32_t index, const Node& node) {
    std::byte* at = nodes + std::size_t{index} * static_cast<std::size_t>(bytes);
    const std::uint32_t flags =
        (node.split.nominal ? 0x4000U : 0U) | (node.split.missing_left ? 0x8000U : 0U);
    std::memcpy(at, &node.split.threshold, 4);
    if (bytes == NodeBytes::small) {
        const auto meta =
            static_cast<std::uint16_t>(flags | (node.split.feature << 8U) | node.n_left);
        std::memcpy(at + 4, &meta, 2);
    } else {
        const auto meta = static_cast<std::uint16_t>(flags | node.split.feature);
        const auto n_left = static_cast<std::uint16_t>(node.n_left);
        std::memcpy(at + 4, &meta, 2);
        std::memcpy(at + 6, &n_left, 2);
    }
}

void find_four_leaves(NodeBytes bytes, std::span<const ShrubView, 4> shrubs,
                      std::span<const float> x, std::span<std::uint16_t, 4> found, bool plain) {
    constexpr NodeBytes small = NodeBytes::small;
    constexpr NodeBytes wide = NodeBytes::wide;
    if (plain) {
        bytes == small ? walk_together<small, true>(shrubs, x.data(), found)
                       : walk_together<wide, true>(shrubs, x.data(), found);
    } else {
        bytes == small ? walk_together<small, false>(shrubs, x.data(), found)
                       : walk_together<wide, false>(shrubs, x.data(), found);
    }
}

void find_many_leaves(NodeBytes bytes, std::span<const ShrubView> shrubs, std::span<const float> x,
                      std::span<std::uint16_t> found) {
#ifdef SHRUBS_AVX2
    if (has_avx2() && are_near(shrubs)) {
        return bytes == NodeBytes::small ? walk_with_avx2<NodeBytes::small>(shrubs, x.data(), found)
                                         : walk_with_avx2<NodeBytes::wide>(shrubs, x.data(), found);
    }
#endif
    for (std::size_t i = 0; i < shrubs.size(); i += 4) {
        find_four_leaves(bytes, shrubs.subspan(i).first<4>(), x, found.subspan(i).first<4>(),
                         false);
    }
}

std::uint32_t find_leaf(NodeBytes bytes, const std::byte* nodes, std::uint32_t n_inner,
                        std::span<const float> x) {
    return bytes == NodeBytes::small ? walk<NodeBytes::small>(nodes, n_inner, x)
                                     : walk<NodeBytes::wide>(nodes, n_inner, x);
}

}  // namespace shrubs
