#include "shrubs/batch/auto_block_prediction.hpp"

#include "shrubs/batch/companion_rows.hpp"
#include "shrubs/batch/order_key.hpp"

namespace shrubs {

namespace {

// What is worked out for every node and leaf pays when many rows follow.
constexpr std::size_t min_mixed_rows = 32;
constexpr std::size_t rows_per_mixed_node = 2;
constexpr std::size_t n_steps = auto_step_sizes.size();

template <class Visit>
void for_each_grown(const PlacedShrubs& shrubs, Visit visit) {
    for (std::uint32_t place = 0; place < shrubs.plan().n_places; ++place) {
        if (shrubs.is_grown(place)) {
            visit(place);
        }
    }
}

}  // namespace

bool AutoBlockPrediction::pays(const AutoEnsemble& ensemble, std::size_t n_rows) {
    std::size_t n_inner = 0;
    for_each_grown(ensemble.shrubs(),
                   [&](std::uint32_t place) { n_inner += ensemble.shrubs().n_inner(place); });
    return ensemble.examples_seen() > 0 && ensemble.n_shrubs() > 0 && n_rows >= min_mixed_rows &&
           n_rows * ensemble.n_shrubs() >= rows_per_mixed_node * n_inner;
}

AutoBlockPrediction::AutoBlockPrediction(const AutoEnsemble& ensemble)
    : ensemble_(ensemble),
      width_(ensemble.plan().width()),
      n_columns_(ensemble.dimensions().n_features + recalled_features),
      recalled_(ensemble.recalled()),
      companions_(ensemble.plan().n_experts - ensemble.plan().n_places) {
    for_each_grown(ensemble.shrubs(), [&](std::uint32_t place) { add_shrub(place); });
    for (RankedShrubs& group : groups_) {
        group.finish();
    }
    add_weights();
}

void AutoBlockPrediction::add_shrub(std::uint32_t place) {
    const NewShrub shrub = ensemble_.shrubs().shrub(place);
    Shrub& added = shrubs_.emplace_back(Shrub{place, walked, 0, 0});
    if (rank(shrub)) {
        added.group = groups_.size() - 1;
        added.in_group = groups_.back().size() - 1;
    }
    const std::size_t n_leaves = shrub.n_inner + std::size_t{1};
    if (ensemble_.leans(place)) {
        added.first_leaf = adds_.size();
        for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
            adds_.push_back(ensemble_.said_by(place, leaf));
        }
        return;
    }
    added.first_leaf = says_.size() / width_;
    says_.resize(says_.size() + n_leaves * width_);
    for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
        const auto said = std::span(says_).subspan((added.first_leaf + leaf) * width_, width_);
        if (ensemble_.task() == Task::classification) {
            ensemble_.shrubs().counting_leaves(place).predict(leaf, said);
        } else {
            said[0] = says(ensemble_.said_by(place, leaf));
        }
    }
}

// Shrubs are ranked together as long as there is room for their thresholds.
bool AutoBlockPrediction::rank(const NewShrub& shrub) {
    const auto add_to_last = [&] {
        return groups_.back().add(shrub.node_bytes, shrub.nodes, shrub.n_inner);
    };
    if (shrub.n_inner > RankedShrubs::max_questions) {
        return false;
    }
    if (!groups_.empty() && add_to_last()) {
        return true;
    }
    groups_.emplace_back(n_columns_);
    if (add_to_last()) {
        return true;
    }
    groups_.pop_back();
    return false;
}

void AutoBlockPrediction::add_weights() {
    const Mixtures& mixtures = ensemble_.mixtures();
    const std::uint32_t n_experts = ensemble_.plan().n_experts;
    weights_.assign(n_experts, {});
    Weights totals{};
    for (std::uint32_t expert = 0; expert < n_experts; ++expert) {
        if (expert < ensemble_.plan().n_places && !ensemble_.shrubs().is_grown(expert)) {
            continue;
        }
        for (std::size_t k = 0; k < mixtures.n_mixtures(); k += n_steps) {
            std::array<float, n_steps> four;
            for (std::size_t step = 0; step < n_steps; ++step) {
                four[step] = static_cast<float>(mixtures.weight(k + step, expert));
            }
            weights_[expert][k / n_steps] = FourFloats::load(four.data());
            totals[k / n_steps] = totals[k / n_steps] + weights_[expert][k / n_steps];
        }
    }
    for (Weights& weights : weights_) {
        for (std::size_t r = 0; r < ensemble_.plan().ranges.n; ++r) {
            weights[r] = weights[r] / totals[r];
        }
    }
}

std::size_t AutoBlockPrediction::memory_bytes() const {
    const auto bytes = [](const auto& numbers) {
        return numbers.capacity() * sizeof(*numbers.data());
    };
    std::size_t sum = bytes(shrubs_) + bytes(groups_) + bytes(weights_) + bytes(says_) +
                      bytes(adds_) + bytes(rows_) + bytes(keys_) + bytes(said_) +
                      bytes(companions_) + bytes(scratch_) + bytes(mixed_);
    for (const RankedShrubs& group : groups_) {
        sum += group.memory_bytes();
    }
    for (const std::vector<float>& said : companions_) {
        sum += bytes(said);
    }
    return sum;
}

// A target as an expert says it.
float AutoBlockPrediction::says(double target) const {
    const double z = ensemble_.running_target().standardise(target);
    return static_cast<float>(std::clamp(z, -largest_prediction, largest_prediction));
}

void AutoBlockPrediction::predict_rows(std::span<double> out) {
    const std::size_t n_whole = RankedShrubs::whole_strips(n_rows());
    keys_.assign(n_whole * n_columns_, 0);
    std::ranges::transform(rows_, keys_.begin(), order_key);
    for (RankedShrubs& group : groups_) {
        group.rank_rows(keys_);
    }
    said_.resize(out.size());
    mixed_.assign(ensemble_.plan().ranges.n * out.size() * n_steps, 0.0F);
    predict_companions();  // first: some shrubs lean on one of them
    for (const Shrub& shrub : shrubs_) {
        predict_shrub(shrub);
        mix(shrub.place, said_);
    }
    for (std::uint32_t i = 0; i < companions_.size(); ++i) {
        mix(ensemble_.plan().n_places + i, companions_[i]);
    }
    finish(out);
}

void AutoBlockPrediction::predict_companions() {
    const LastOutcomes last = ensemble_.last_outcomes();
    const Questions questions{rows_, n_columns_, n_columns_ - recalled_features, ensemble_.scale(),
                              last};
    scratch_.resize(said_.size());
    for_each_chosen(ensemble_.companions(), ensemble_.plan().companions,
                    [&](const auto& companion, std::uint32_t i) {
                        companions_[i].resize(said_.size());
                        ::shrubs::predict_rows(companion, questions, scratch_, companions_[i]);
                    });
}

void AutoBlockPrediction::predict_shrub(const Shrub& shrub) {
    if (shrub.group != walked) {
        std::array<std::uint8_t, max_rows> room;
        groups_[shrub.group].find_leaves(
            shrub.in_group, std::span(room).first(RankedShrubs::whole_strips(n_rows())));
        say(shrub, room.data());
        return;
    }
    const NewShrub nodes = ensemble_.shrubs().shrub(shrub.place);
    std::array<std::uint16_t, max_rows> room;
    for (std::size_t row = 0; row < n_rows(); ++row) {
        const auto x = std::span(rows_).subspan(row * n_columns_, n_columns_);
        room[row] =
            static_cast<std::uint16_t>(find_leaf(nodes.node_bytes, nodes.nodes, nodes.n_inner, x));
    }
    say(shrub, room.data());
}

// What a shrub says of each row, by its leaf.
template <class Leaf>
void AutoBlockPrediction::say(const Shrub& shrub, const Leaf* leaves) {
    if (ensemble_.leans(shrub.place)) {
        for (std::size_t row = 0; row < n_rows(); ++row) {
            const double linear = ensemble_.running_target().restore(companions_[0][row]);
            said_[row] = says(kept_finite(linear + adds_[shrub.first_leaf + leaves[row]]));
        }
        return;
    }
    const float* const says = says_.data() + shrub.first_leaf * width_;
    for (std::size_t row = 0; row < n_rows(); ++row) {
        std::copy_n(says + leaves[row] * width_, width_, said_.data() + row * width_);
    }
}

void AutoBlockPrediction::mix(std::uint32_t expert, std::span<const float> said) {
    for (std::size_t r = 0; r < ensemble_.plan().ranges.n; ++r) {
        if (!ensemble_.plan().ranges.ranges[r].contains(expert)) {
            continue;
        }
        const FourFloats weight = weights_[expert][r];
        float* at = mixed_.data() + r * said.size() * n_steps;
        for (const float number : said) {
            (FourFloats::load(at) + weight * FourFloats::all(number)).store(at);
            at += n_steps;
        }
    }
}

// The mix of the mixtures, as a prediction.
void AutoBlockPrediction::finish(std::span<double> out) const {
    std::ranges::fill(out, 0.0);
    for (std::size_t k = 0; k < ensemble_.mixtures().n_mixtures(); ++k) {
        const float* const mixture = mixed_.data() + k / n_steps * out.size() * n_steps;
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] += ensemble_.mixtures().share(k) * mixture[i * n_steps + k % n_steps];
        }
    }
    for (std::size_t at = 0; at < out.size(); at += width_) {
        ensemble_.restore(out.subspan(at, width_), out.subspan(at, width_));
    }
}

}  // namespace shrubs
