// The scores of all cuts, with and without AVX2.

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "shrubs/growth/incremental/lane_scan.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// A node with the examples of `n_lanes` features in order.
struct Block {
    std::vector<std::uint16_t> classes;
    std::vector<std::uint32_t> totals;
    std::vector<float> inverse;
    std::vector<std::uint16_t> entries;
    std::vector<std::uint16_t> differs;
    std::uint32_t size;
    std::uint32_t min_samples_leaf;
    std::uint32_t slot_bits;
    std::uint32_t n_lanes;
    bool some_equal;

    std::uint32_t label(std::uint32_t place, std::uint32_t lane) const {
        return std::uint32_t{entries[place * lane_width + lane]} >> slot_bits;
    }
    bool is_cut(std::uint32_t place, std::uint32_t lane) const {
        return place + 1 >= min_samples_leaf && place + min_samples_leaf < size &&
               (!some_equal || differs[place * lane_width + lane] == 1);
    }
    std::size_t n_groups() const {
        return (size - min_samples_leaf + cuts_per_group - 1) / cuts_per_group;
    }
};

// `n_present` of `n_classes` classes, with at least one example each.
Block draw_block(Random& random, std::uint32_t size, std::uint32_t n_present,
                 std::uint32_t n_classes) {
    Block block;
    block.size = size;
    block.min_samples_leaf = random.below(2) == 0 ? 1 : 1 + random.below(size / 2);
    block.n_lanes = random.below(2) == 0 ? lane_width : 1 + random.below(lane_width);
    block.some_equal = random.below(2) == 0;
    block.slot_bits = static_cast<std::uint32_t>(std::bit_width(size - 1));
    block.totals.assign(n_classes, 0);
    std::vector<std::uint16_t> all(n_classes);
    for (std::uint32_t c = 0; c < n_classes; ++c) {
        all[c] = static_cast<std::uint16_t>(c);
        std::swap(all[c], all[random.below(c + 1)]);
    }
    block.classes.assign(all.begin(), all.begin() + n_present);
    std::ranges::sort(block.classes);
    std::vector<std::uint16_t> examples(size);
    for (std::uint32_t slot = 0; slot < size; ++slot) {
        const std::uint32_t c = block.classes[slot < n_present ? slot
                                                               : std::min(random.below(n_present),
                                                                          random.below(n_present))];
        examples[slot] = static_cast<std::uint16_t>(slot | c << block.slot_bits);
        ++block.totals[c];
    }
    // What stands in lanes that are not in use may be anything.
    for (std::uint32_t i = 0; i < size * lane_width; ++i) {
        block.entries.push_back(static_cast<std::uint16_t>(random.below(65536)));
        block.differs.push_back(random.below(3) == 0 ? 0 : 1);
    }
    for (std::uint32_t lane = 0; lane < block.n_lanes; ++lane) {
        for (std::uint32_t i = size; i > 1; --i) {
            std::swap(examples[i - 1], examples[random.below(i)]);
        }
        for (std::uint32_t place = 0; place < size; ++place) {
            block.entries[place * lane_width + lane] = examples[place];
        }
    }
    block.inverse.push_back(0.0F);
    for (std::uint32_t i = 1; i <= size; ++i) {
        block.inverse.push_back(1.0F / static_cast<float>(i));
    }
    return block;
}

// The largest scores: of each lane, and of each group of cuts and lane.
struct Scores {
    std::vector<float> lanes;
    std::vector<float> groups;
};

Scores scan(const Block& block) {
    Scores scores;
    scores.lanes.assign(lane_width, -1.0F);
    scores.groups.assign(block.n_groups() * lane_width, -1.0F);
    std::vector<std::uint16_t> counts(block.totals.size() * lane_width, 77);
    scan_cuts(
        {block.classes, block.totals, block.size, block.min_samples_leaf, block.inverse.data()},
        {block.entries.data(), block.some_equal ? block.differs.data() : nullptr, block.slot_bits},
        counts, {scores.lanes.data(), scores.groups.data()});
    return scores;
}

// The same in double precision, straight from the definition.
Scores scan_plainly(const Block& block) {
    Scores scores;
    scores.lanes.assign(lane_width, 0.0F);
    scores.groups.assign(block.n_groups() * lane_width, 0.0F);
    for (std::uint32_t lane = 0; lane < block.n_lanes; ++lane) {
        std::vector<double> lefts(block.totals.size());
        for (std::uint32_t place = 0; place + 1 < block.size; ++place) {
            ++lefts[block.label(place, lane)];
            if (!block.is_cut(place, lane)) {
                continue;
            }
            double score = 0.0;
            for (const std::uint16_t c : block.classes) {
                const double left = lefts[c];
                const double right = block.totals[c] - left;
                score += left * left / (place + 1) + right * right / (block.size - 1 - place);
            }
            float& of_group = scores.groups[place / cuts_per_group * lane_width + lane];
            of_group = std::max(of_group, static_cast<float>(score));
            scores.lanes[lane] = std::max(scores.lanes[lane], of_group);
        }
    }
    return scores;
}

bool is_close(float a, float b) {
    return std::abs(a - b) <= 0x1p-21F * std::max(a, b);
}

void check_block(const Block& block) {
    allow_avx2(false);
    const Scores narrow = scan(block);
    allow_avx2(true);
    const Scores wide = scan(block);
    const Scores plain = scan_plainly(block);
    bool same = true;
    bool close = true;
    for (std::uint32_t lane = 0; lane < block.n_lanes; ++lane) {
        same = same && wide.lanes[lane] == narrow.lanes[lane];
        close = close && is_close(wide.lanes[lane], plain.lanes[lane]);
        for (std::size_t i = lane; i < wide.groups.size(); i += lane_width) {
            same = same && wide.groups[i] == narrow.groups[i];
            close = close && is_close(wide.groups[i], plain.groups[i]);
        }
    }
    CHECK(same);
    CHECK(close);
}

}  // namespace

TEST_CASE("cuts score the same with and without AVX2, for any number of classes") {
    Random random(7, 0);
    for (std::uint32_t n_present = 2; n_present <= 20; ++n_present) {
        for (int repeat = 0; repeat < 40; ++repeat) {
            const std::uint32_t size = n_present + random.below(120);
            check_block(draw_block(random, size, n_present, n_present + random.below(12)));
        }
    }
}

TEST_CASE("the largest window that is scanned is counted exactly") {
    Random random(8, 0);
    // Slots and labels fit into 16 bits.
    for (const std::uint32_t n_present : {2U, 3U, 5U, 8U}) {
        check_block(draw_block(random, max_scanned_window, n_present, 8));
    }
    for (const std::uint32_t n_present : {2U, 3U, 8U, 15U, 16U}) {
        check_block(draw_block(random, max_scanned_window / 2, n_present, 16));
    }
}
