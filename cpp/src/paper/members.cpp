#include "shrubs/paper/members.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "shrubs/growth/archive_nodes.hpp"

namespace shrubs {

namespace {

// A distribution is stored as its nonzero entries: (class, share) each.
void write_distribution(Archive& archive, std::span<const std::int32_t> q) {
    auto n_entries =
        static_cast<std::uint16_t>(std::ranges::count_if(q, [](auto share) { return share != 0; }));
    archive.value(n_entries);
    for (std::size_t c = 0; c < q.size(); ++c) {
        if (q[c] != 0) {
            std::array<std::uint16_t, 2> entry = {static_cast<std::uint16_t>(c),
                                                  static_cast<std::uint16_t>(q[c])};
            archive.value(entry);
        }
    }
}

void read_distribution(Archive& archive, std::span<std::int32_t> q, std::uint32_t& entries_left) {
    std::uint16_t n_entries = 0;
    archive.value(n_entries);
    archive.require(n_entries <= entries_left);
    entries_left -= archive.ok() ? n_entries : 0U;
    std::ranges::fill(q, 0);
    std::int64_t sum = 0;
    for (std::uint16_t i = 0; i < n_entries && archive.ok(); ++i) {
        std::array<std::uint16_t, 2> entry{};
        archive.value(entry);
        const auto [c, share] = entry;
        archive.require(c < q.size() && q[c] == 0);
        if (archive.ok()) {
            q[c] = share;
            sum += share;
        }
    }
    archive.require(sum == fixed_one);
}

}  // namespace

Members::Memory Members::reserve(Arena& arena, std::uint32_t capacity, const GrowthPlan& growth) {
    const std::uint64_t node_stride = growth.all_node_bytes();
    const std::uint64_t leaf_stride = growth.leaves.bytes();
    const std::uint64_t leaf_id_stride = LeafIds::bytes(growth.max_leaves, growth.window_size);
    return {.nodes = arena.array<std::byte>(Purpose::shrubs, capacity * node_stride).data(),
            .leaves = arena.array<std::byte>(Purpose::shrubs, capacity * leaf_stride).data(),
            .leaf_ids = arena.array<std::byte>(Purpose::cache, capacity * leaf_id_stride).data(),
            .n_inner = arena.array<std::uint16_t>(Purpose::shrubs, capacity),
            .born = arena.array<std::uint64_t>(Purpose::shrubs, capacity),
            .places = arena.array<std::uint16_t>(Purpose::shrubs, capacity),
            .weights = arena.array<double>(Purpose::weights, capacity),
            .node_stride = static_cast<std::size_t>(node_stride),
            .leaf_stride = static_cast<std::size_t>(leaf_stride),
            .leaf_id_stride = static_cast<std::size_t>(leaf_id_stride),
            .wide_leaf_ids = LeafIds::needs_wide(growth.max_leaves)};
}

Members::Members(const Memory& memory, const LeafLayout& layout, NodeBytes node_bytes,
                 bool all_numeric)
    : memory_(memory), layout_(layout), node_bytes_(node_bytes), all_numeric_(all_numeric) {
    std::iota(memory_.places.begin(), memory_.places.end(), std::uint16_t{0});
}

std::uint32_t Members::depth(std::uint32_t i, std::span<PendingNode> pending) const {
    const NewShrub shrub{nodes(i), leaves(i), node_bytes_, leaf_ids(i), n_inner(i)};
    return depth_of(shrub, no_limit, pending);
}

void Members::append(std::uint32_t n_inner, std::uint64_t born) {
    const std::uint16_t place = memory_.places[size_];
    memory_.n_inner[place] = static_cast<std::uint16_t>(n_inner);
    memory_.born[place] = born;
    memory_.weights[size_] = 0.0;
    ++size_;
}

void Members::remove(std::uint32_t i) {
    // places | 0 .. i-1 | i | i+1 .. size-1 | free |  ->  | 0 .. i-1 | i+1 .. size-1 | i | free |
    const auto places = memory_.places.subspan(i, size_ - i);
    std::rotate(places.begin(), places.begin() + 1, places.end());
    const auto weights = memory_.weights.subspan(i, size_ - i);
    std::rotate(weights.begin(), weights.begin() + 1, weights.end());
    --size_;
}

void Members::archive(Archive& archive, std::span<const std::uint8_t> nominal,
                      std::uint32_t max_depth, const GrowScratch& scratch) {
    std::uint32_t n_members = size_;
    archive.value(n_members);
    archive.require(n_members < memory_.places.size());
    double sum = 0.0;
    for (std::uint32_t i = 0; i < n_members && archive.ok(); ++i) {
        double weight = memory_.weights[i];
        std::uint64_t born = this->born(i);
        auto n_inner = static_cast<std::uint16_t>(this->n_inner(i));
        archive.value(weight);
        archive.value(born);
        archive.value(n_inner);
        archive.require(weight > 0.0 && is_finite(weight) && n_inner < layout_.max_leaves());
        if (!archive.ok()) {
            return;
        }
        const NewShrub shrub{nodes(i), leaves(i), node_bytes_, leaf_ids(i), n_inner};
        archive_nodes(archive, shrub, nominal, max_depth, scratch.pending);
        archive_leaves(archive, shrub, scratch.distribution);
        if (archive.reads()) {
            append(n_inner, born);
            memory_.weights[i] = weight;
        }
        sum += weight;
    }
    archive.require(n_members == 0 || (sum > 0.999999 && sum < 1.000001));
}

void Members::archive_leaves(Archive& archive, const NewShrub& shrub,
                             std::span<std::int32_t> distribution) const {
    std::uint32_t entries_left = layout_.max_entries();
    for (std::uint32_t leaf = 0; leaf <= shrub.n_inner && archive.ok(); ++leaf) {
        if (layout_.kind() == LeafKind::value) {
            double value = archive.reads() ? 0.0 : layout_.value(shrub.leaves, leaf);
            archive.value(value);
            archive.require(is_finite(value));
            if (archive.reads()) {
                layout_.set_value(shrub.leaves, leaf, value);
            }
            continue;
        }
        if (!archive.reads()) {
            layout_.get_distribution(shrub.leaves, leaf, distribution);
            write_distribution(archive, distribution);
            continue;
        }
        read_distribution(archive, distribution, entries_left);
        if (archive.ok()) {
            layout_.set_distribution(shrub.leaves, leaf, distribution);
        }
    }
}

void Members::copy_from(const Members& other, std::span<std::int32_t> distribution) {
    std::ranges::fill(distribution, 0);
    for (std::uint32_t i = 0; i < other.size_; ++i) {
        const NewShrub shrub = newcomer();
        for (std::uint32_t node = 0; node < other.n_inner(i); ++node) {
            write_node(node_bytes_, shrub.nodes, node,
                       read_node(other.node_bytes_, other.nodes(i), node));
        }
        for (std::uint32_t leaf = 0; leaf <= other.n_inner(i); ++leaf) {
            if (layout_.kind() == LeafKind::value) {
                layout_.set_value(shrub.leaves, leaf, other.layout_.value(other.leaves(i), leaf));
            } else {
                other.layout_.get_distribution(other.leaves(i), leaf,
                                               distribution.first(other.layout_.n_classes()));
                layout_.set_distribution(shrub.leaves, leaf, distribution);
            }
        }
        append(other.n_inner(i), other.born(i));
        memory_.weights[i] = other.memory_.weights[i];
    }
}

void Members::find_leaves(std::span<const float> x, std::span<std::uint16_t> found) const {
    std::uint32_t next = 0;
    // Large shrubs come from far away in memory: the more walks wait for it together, the better.
    const bool is_small = node_bytes_ == NodeBytes::small;
    if (is_small && all_numeric_ &&
        std::ranges::none_of(x, [](float value) { return value != value; })) {
        for (; next + 4 <= size_; next += 4) {
            const std::array<ShrubView, 4> four{view(next), view(next + 1), view(next + 2),
                                                view(next + 3)};
            if (std::ranges::any_of(four, [](const auto& shrub) { return shrub.n_inner == 0; })) {
                break;
            }
            find_four_leaves(node_bytes_, four, x, found.subspan(next).first<4>(), true);
        }
    } else {
        next = find_many(x, found);
    }
    for (std::uint32_t i = next; i < size_; ++i) {
        found[i] = static_cast<std::uint16_t>(find_leaf(i, x));
    }
}

// Sixteen or eight members at a time, up to one that is a single leaf; returns how many.
std::uint32_t Members::find_many(std::span<const float> x, std::span<std::uint16_t> found) const {
    std::array<ShrubView, 16> shrubs;
    std::uint32_t next = 0;
    for (const std::uint32_t n : {16U, 8U}) {
        for (; next + n <= size_; next += n) {
            for (std::uint32_t i = 0; i < n; ++i) {
                shrubs[i] = view(next + i);
                if (shrubs[i].n_inner == 0) {
                    return next;
                }
            }
            find_many_leaves(node_bytes_, std::span(shrubs).first(n), x, found.subspan(next, n));
        }
    }
    return next;
}

void Members::predict_distribution(std::span<const std::uint16_t> found,
                                   std::span<double> f) const {
    std::ranges::fill(f, size_ == 0 ? 1.0 / static_cast<double>(f.size()) : 0.0);
    if (layout_.kind() == LeafKind::dense && f.size() == 2) {
        double first = f[0];
        double second = f[1];
        for (std::uint32_t i = 0; i < size_; ++i) {
            const std::int32_t q = layout_.entry(leaves(i), found[i], 1);
            first += memory_.weights[i] * ((fixed_one - q) * from_fixed);
            second += memory_.weights[i] * (q * from_fixed);
        }
        f[0] = first;
        f[1] = second;
    } else {
        for (std::uint32_t i = 0; i < size_; ++i) {
            layout_.add_distribution(leaves(i), found[i], memory_.weights[i], f);
        }
    }
    // The weights may sum to a little more than one.
    for (double& probability : f) {
        probability = std::min(probability, 1.0);
    }
}

double Members::predict_value(std::span<const std::uint16_t> found) const {
    double f = 0.0;
    for (std::uint32_t i = 0; i < size_; ++i) {
        f += memory_.weights[i] * layout_.value(leaves(i), found[i]);
    }
    constexpr double largest = std::numeric_limits<double>::max();
    return std::clamp(f, -largest, largest);
}

}  // namespace shrubs
