#include "shrubs/paper/windowed_tree.hpp"

#include <algorithm>

namespace shrubs {

void archive_header(Archive& archive, TreeConfig& config, Dimensions& dimensions,
                    std::uint16_t /*version*/) {
    auto only_on_error = static_cast<std::uint8_t>(config.only_on_error);
    archive.value(only_on_error);
    archive.require(only_on_error <= 1);
    config.only_on_error = only_on_error != 0;
    archive.value(config.splitter);
    archive.value(config.cache);
    archive.value(config.window_size);
    archive.value(config.max_depth);
    archive.value(config.min_samples_leaf);
    archive.value(config.seed);
    archive.value(dimensions.n_features);
    archive.value(dimensions.n_classes);
    archive.value(dimensions.max_features);
}

WindowedTree::Memory WindowedTree::reserve(Arena& arena, const GrowthPlan& plan) {
    return {.window = Window::reserve(arena, plan.window()),
            .members = Members::reserve(arena, 2, plan),
            .growth = GrowScratch::reserve(arena, plan),
            .scratch = {.row = arena.array<float>(Purpose::scratch, plan.dimensions.n_features),
                        .found = arena.array<std::uint16_t>(Purpose::scratch, 2)}};
}

MemoryReport WindowedTree::report(const TreeConfig& config, const Dimensions& dimensions) {
    Arena counter;
    reserve(counter, make_growth_plan(config.growth(), dimensions));
    return counter.report();
}

WindowedTree::WindowedTree(const TreeConfig& config, const Dimensions& dimensions,
                           std::span<const std::uint8_t> nominal, std::span<std::byte> arena)
    : config_(config), plan_(make_growth_plan(config.growth(), dimensions)) {
    Arena all(arena);
    const Memory memory = reserve(all, plan_);
    std::ranges::copy(nominal, memory.window.nominal.begin());
    window_ = Window(memory.window, config.window_size, dimensions.n_features);
    members_ = Members(memory.members, plan_.leaves, plan_.node_bytes);
    growth_ = memory.growth;
    growth_.begin();
    scratch_ = memory.scratch;
}

void WindowedTree::learn_next(const Example& example) {
    const bool keeps = config_.only_on_error && was_right(example);
    const std::uint32_t slot = window_.add(example);
    if (members_.size() > 0) {
        members_.leaf_ids(0).set(slot, scratch_.found[0]);
    }
    if (!keeps) {
        replace_tree();
    }
    ++examples_seen_;
}

bool WindowedTree::was_right(const Example& example) const {
    if (members_.size() == 0) {
        return false;
    }
    std::uint32_t best = 0;
    std::int32_t largest = -1;
    members_.layout().for_each_entry(members_.leaves(0), scratch_.found[0],
                                     [&](std::uint32_t c, std::int32_t q) {
                                         best = q > largest ? c : best;
                                         largest = std::max(q, largest);
                                     });
    return best == example.label;
}

void WindowedTree::replace_tree() {
    NewShrub tree = members_.newcomer();
    grow(window_, plan_, {}, Random(config_.seed, examples_seen_), growth_, tree);
    members_.append(tree.n_inner, examples_seen_);
    if (members_.size() > 1) {
        members_.remove(0);
    }
    members_.weights()[0] = 1.0;
}

void WindowedTree::archive(Archive& archive) {
    archive.value(examples_seen_);
    window_.archive(archive, dimensions().n_classes, scratch_.row);
    members_.archive(archive, window_.nominal(), config_.max_depth, growth_);
}

void WindowedTree::copy_from(const WindowedTree& other) {
    examples_seen_ = other.examples_seen_;
    window_.copy_from(other.window_, scratch_.row);
    members_.copy_from(other.members_, growth_.distribution);
}

}  // namespace shrubs
