#pragma once

// The leaves of a shrub: what they predict, and how that is stored in few bytes.
//
// A class distribution is kept in fixed point, 32768 for one. Its entries sum to exactly 32768, so
// h(x) lies in the simplex, and sums of products of entries are exact integers on every platform.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace shrubs {

/// The fixed-point one.
inline constexpr std::int32_t fixed_one = 32768;
inline constexpr double from_fixed = 1.0 / 32768.0;

/// How the leaves of every shrub of an ensemble are stored.
///
///  value:  one double per leaf (regression)
///  dense:  entries of the classes 1, ..., C-1 per leaf; class 0 has the rest of `fixed_one`
///  sparse: the nonzero entries of all leaves in a row, and where each leaf's entries start:
///
///          starts | 0 | 2 | 3 | ...      entries | class, q | class, q | class, q | ...
///                   leaf 0 ^   ^ leaf 1
enum class LeafKind : std::uint8_t { value, dense, sparse };

class LeafLayout {
 public:
    LeafLayout() = default;

    /// Leaves that hold one target each.
    static LeafLayout for_regression(std::uint32_t max_leaves);

    /// The smaller of dense and sparse. A window of `window_size` examples has at most that many
    /// nonzero entries in all leaves together.
    static LeafLayout for_classification(std::uint32_t max_leaves, std::uint32_t n_classes,
                                         std::uint32_t window_size);

    LeafKind kind() const { return kind_; }
    std::uint32_t n_classes() const { return n_classes_; }
    std::uint32_t max_leaves() const { return max_leaves_; }
    /// Nonzero entries that all leaves of a shrub may have together.
    std::uint32_t max_entries() const { return max_entries_; }

    /// Bytes of one shrub's leaves.
    std::uint64_t bytes() const;

    /// Regression.
    double value(const std::byte* leaves, std::uint32_t leaf) const;
    void set_value(std::byte* leaves, std::uint32_t leaf, double value) const;

    /// Classification: writes leaf number `leaf`; leaves are written in order. `q` is `(C,)`.
    void set_distribution(std::byte* leaves, std::uint32_t leaf,
                          std::span<const std::int32_t> q) const;
    /// The same for a leaf that knows one class only.
    void set_pure(std::byte* leaves, std::uint32_t leaf, std::uint32_t class_index) const;
    /// The distribution of a leaf, `(C,)`.
    void get_distribution(const std::byte* leaves, std::uint32_t leaf,
                          std::span<std::int32_t> q) const;
    /// Writes leaf `to_leaf` and those after it as copies of `n` leaves from `from_leaf` on.
    void copy_distributions(const std::byte* from, std::uint32_t from_leaf, std::uint32_t n,
                            std::byte* to, std::uint32_t to_leaf) const;
    /// One entry of the distribution.
    std::int32_t entry(const std::byte* leaves, std::uint32_t leaf,
                       std::uint32_t class_index) const {
        if (kind_ == LeafKind::dense && class_index > 0) {
            return load16(leaves, std::size_t{leaf} * (n_classes_ - 1) + class_index - 1);
        }
        std::int32_t found = 0;
        for_each_entry(leaves, leaf, [&](std::uint32_t c, std::int32_t entry) {
            found = c == class_index ? entry : found;
        });
        return found;
    }
    /// Adds `weight` times the distribution to `sums`, `(C,)`.
    void add_distribution(const std::byte* leaves, std::uint32_t leaf, double weight,
                          std::span<double> sums) const;
    /// The sum of `factors[c] * h_c` added to `start`, in ascending order of the classes.
    double add_product(const std::byte* leaves, std::uint32_t leaf, std::span<const double> factors,
                       double start) const;

    /// Calls `visit(class_index, q)` for the entries of a leaf, ascending; zeros may be left out.
    template <class Visit>
    void for_each_entry(const std::byte* leaves, std::uint32_t leaf, Visit visit) const {
        if (kind_ == LeafKind::dense) {
            std::int32_t rest = fixed_one;
            for_each_share<LeafKind::dense>(
                leaves, leaf, [&](std::uint32_t, std::int32_t share) { rest -= share; });
            visit(0U, rest);
            for_each_share<LeafKind::dense>(leaves, leaf, visit);
        } else {
            for_each_share<LeafKind::sparse>(leaves, leaf, visit);
        }
    }

    // The compiler knows the kind of the leaves below, and perhaps their number of classes (0: it
    // does not).

    /// `for_each_entry`, but class 0 may be left out as well.
    template <LeafKind kind, std::uint32_t n_classes = 0, class Visit>
    void for_each_share(const std::byte* leaves, std::uint32_t leaf, Visit visit) const {
        if constexpr (kind == LeafKind::dense) {
            const std::size_t n = n_shares<n_classes>();
            const std::byte* shares = leaves + leaf * n * 2;
            for (std::uint32_t at = 0; at < n; ++at) {
                visit(at + 1, std::int32_t{load16(shares, at)});
            }
        } else {
            const std::byte* entries = leaves + starts_bytes();
            const std::size_t end = load16(leaves, std::size_t{leaf} + 1);
            for (std::size_t at = load16(leaves, leaf); at < end; ++at) {
                visit(std::uint32_t{load16(entries, 2 * at)},
                      std::int32_t{load16(entries, 2 * at + 1)});
            }
        }
    }
    /// Whether a leaf knows one class only.
    template <LeafKind kind, std::uint32_t n_classes = 0>
    bool is_pure(const std::byte* leaves, std::uint32_t leaf) const {
        if constexpr (kind == LeafKind::dense) {
            // All entries are 0, or one is `fixed_one`.
            std::int32_t between = 0;
            for_each_share<kind, n_classes>(leaves, leaf, [&](std::uint32_t, std::int32_t share) {
                between |= share & (fixed_one - 1);
            });
            return between == 0;
        } else {
            return load16(leaves, std::size_t{leaf} + 1) - load16(leaves, leaf) == 1;
        }
    }
    bool is_pure(const std::byte* leaves, std::uint32_t leaf) const {
        return kind_ == LeafKind::dense ? is_pure<LeafKind::dense>(leaves, leaf)
                                        : is_pure<LeafKind::sparse>(leaves, leaf);
    }
    /// The entries of a sparse leaf, class and q of 16 bits each. Something can be read behind
    /// them.
    struct Entries {
        const std::byte* first;
        std::int32_t n;
    };
    Entries entries(const std::byte* leaves, std::uint32_t leaf) const {
        const std::int32_t begin = load16(leaves, leaf);
        return {leaves + starts_bytes() + std::size_t{4} * static_cast<std::uint32_t>(begin),
                load16(leaves, std::size_t{leaf} + 1) - begin};
    }
    /// Whether two leaves of different shrubs predict the same.
    bool is_same(const std::byte* a, std::uint32_t leaf_a, const std::byte* b,
                 std::uint32_t leaf_b) const {
        if (kind_ == LeafKind::dense) {
            const std::size_t bytes = n_shares<0>() * 2;
            return std::memcmp(a + leaf_a * bytes, b + leaf_b * bytes, bytes) == 0;
        }
        const std::size_t begin = load16(a, leaf_a);
        const std::size_t other = load16(b, leaf_b);
        const std::size_t n = load16(a, std::size_t{leaf_a} + 1) - begin;
        constexpr std::size_t entry_bytes = 4;
        return n + other == load16(b, std::size_t{leaf_b} + 1) &&
               std::memcmp(a + starts_bytes() + begin * entry_bytes,
                           b + starts_bytes() + other * entry_bytes, n * entry_bytes) == 0;
    }

 private:
    static std::uint16_t load16(const std::byte* from, std::size_t index) {
        std::uint16_t value = 0;
        std::memcpy(&value, from + 2 * index, 2);
        return value;
    }
    // The entries of a dense leaf.
    template <std::uint32_t n_classes>
    std::size_t n_shares() const {
        return (n_classes > 0 ? n_classes : n_classes_) - std::size_t{1};
    }
    std::size_t starts_bytes() const { return (std::size_t{max_leaves_} + 1) * 2; }

    LeafKind kind_ = LeafKind::value;
    std::uint32_t n_classes_ = 0;
    std::uint32_t max_leaves_ = 0;
    std::uint32_t max_entries_ = 0;
};

/// Turns class counts into fixed-point shares that sum to exactly `fixed_one`.
///
/// The cumulative share is rounded to the nearest, so each entry is off by less than one unit.
void round_distribution(std::span<const std::uint32_t> counts, std::span<std::int32_t> q);

}  // namespace shrubs
