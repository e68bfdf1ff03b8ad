#include "shrubs/batch/ranked_shrubs.hpp"

#include <algorithm>

#include "shrubs/batch/order_key.hpp"

namespace shrubs {

namespace {

constexpr std::uint16_t no_table = 0xFFFF;
// The answers of the leaves come first.
constexpr std::size_t first_question = RankedShrubs::max_questions + 1;

// A nominal node asks two questions: is the value larger than the category, and is it larger than
// all that is smaller?
std::size_t n_questions(const Split& split) {
    return split.nominal ? 2 : 1;
}

// The largest key below a category. A threshold that is not a number has the key 0 and sends only
// missing values on to the second question.
std::uint32_t below(std::uint32_t category) {
    return std::max(category, 1U) - 1;
}

// Where the subtree of a node begins and how far it goes.
struct OpenSubtree {
    std::uint32_t n_inner;
    std::uint32_t first_leaf;
};

// The same instructions for sixteen rows: the compiler makes one vector of them.
void choose(const Rank* ranks, Rank threshold, const std::uint8_t* left, const std::uint8_t* right,
            std::uint8_t* chosen) {
    std::array<std::uint8_t, 16> leaves;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        const std::uint8_t at_most = left[k];
        const std::uint8_t larger = right[k];
        leaves[k] = ranks[k] > threshold ? larger : at_most;
    }
    std::ranges::copy(leaves, chosen);
}

}  // namespace

RankedShrubs::RankedShrubs(std::size_t n_features)
    : n_features_(n_features), table_of_(n_features, no_table) {}

void RankedShrubs::clear() {
    shrubs_.clear();
    questions_.clear();
    tables_.clear();
    std::ranges::fill(table_of_, no_table);
}

// What a shrub that finds no room leaves in the tables does no harm.
bool RankedShrubs::add(NodeBytes bytes, const std::byte* packed, std::uint32_t n_inner) {
    std::array<Node, max_questions> room;
    if (n_inner > room.size()) {
        return false;
    }
    const auto nodes = std::span(room).first(n_inner);
    std::size_t n_asked = 0;
    for (std::uint32_t i = 0; i < n_inner; ++i) {
        nodes[i] = read_node(bytes, packed, i);
        const Split& split = nodes[i].split;
        n_asked += n_questions(split);
        const std::uint32_t threshold = threshold_key(split.threshold);
        if (n_asked > max_questions || !add_threshold(split.feature, threshold) ||
            (split.nominal && !add_threshold(split.feature, below(threshold)))) {
            return false;
        }
    }
    shrubs_.push_back({questions_.size(), n_asked});
    add_questions(nodes);
    return true;
}

bool RankedShrubs::add_threshold(std::uint32_t feature, std::uint32_t threshold) {
    std::uint16_t& table = table_of_[feature];
    if (table == no_table) {
        if (tables_.size() == max_features) {
            return false;
        }
        table = static_cast<std::uint16_t>(tables_.size());
        tables_.push_back({static_cast<std::uint16_t>(feature), {}});
    }
    return tables_[table].ranks.add(threshold);
}

void RankedShrubs::add_questions(std::span<const Node> nodes) {
    std::array<OpenSubtree, max_questions> subtrees;
    std::array<std::uint16_t, max_questions> answers;  // by node
    std::size_t next = first_question;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        answers[i] = static_cast<std::uint16_t>(next);
        next += n_questions(nodes[i].split);
    }
    subtrees[0] = {static_cast<std::uint32_t>(nodes.size()), 0};
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const auto& [split, n_left] = nodes[i];
        const std::uint32_t n_right = subtrees[i].n_inner - 1 - n_left;
        const std::uint32_t left_leaf = subtrees[i].first_leaf;
        const std::uint32_t right_leaf = left_leaf + n_left + 1;
        const auto child = [&](std::uint32_t n, std::uint32_t node, std::uint32_t leaf) {
            if (n == 0) {
                return static_cast<std::uint16_t>(leaf);
            }
            subtrees[node] = {n, leaf};
            return answers[node];
        };
        const std::uint16_t left = child(n_left, i + 1, left_leaf);
        const std::uint16_t right = child(n_right, i + 1 + n_left, right_leaf);
        const std::uint32_t threshold = threshold_key(split.threshold);
        const auto planes = static_cast<std::uint16_t>(2 * table_of_[split.feature]);
        const auto missing_right = static_cast<std::uint16_t>(planes + 1);
        const std::uint16_t plane = split.missing_left ? planes : missing_right;
        if (split.nominal) {
            const auto second = static_cast<std::uint16_t>(answers[i] + 1);
            questions_.push_back({threshold, plane, second, right, 0});
            // Who comes here without a value has to go to the left child.
            questions_.push_back({below(threshold), missing_right, right, left, 0});
        } else {
            questions_.push_back({threshold, plane, left, right, 0});
        }
    }
}

void RankedShrubs::finish() {
    for (Question& question : questions_) {
        question.rank = tables_[question.plane / 2].ranks.rank_of(question.threshold);
    }
    ranks_.resize(tables_.size() * 2 * max_rows);
    answers_.resize(first_question + max_questions);
    for (std::size_t leaf = 0; leaf < first_question; ++leaf) {
        answers_[leaf].leaves.fill(static_cast<std::uint8_t>(leaf));
    }
}

void RankedShrubs::rank_rows(std::span<const std::uint32_t> keys) {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        Rank* const ranks = ranks_.data() + i * 2 * max_rows;
        tables_[i].ranks.rank(keys.data() + tables_[i].feature, n_features_,
                              keys.size() / n_features_, ranks, ranks + max_rows);
    }
}

void RankedShrubs::find_leaves(std::size_t shrub, std::span<std::uint8_t> leaves) {
    const Shrub& asked = shrubs_[shrub];
    const Strip& root = answers_[asked.n_questions == 0 ? 0 : first_question];
    for (std::size_t row = 0; row < leaves.size(); row += strip) {
        answer(asked, row);
        std::ranges::copy(root.leaves, leaves.begin() + static_cast<std::ptrdiff_t>(row));
    }
}

void RankedShrubs::answer(const Shrub& shrub, std::size_t row) {
    const Question* const questions = questions_.data() + shrub.first;
    const Rank* const ranks = ranks_.data() + row;
    Strip* const answers = answers_.data();
    for (std::size_t i = shrub.n_questions; i-- > 0;) {
        const Question question = questions[i];
        const Rank* const asked = ranks + question.plane * max_rows;
        const std::uint8_t* const left = answers[question.left].leaves.data();
        const std::uint8_t* const right = answers[question.right].leaves.data();
        std::uint8_t* const chosen = answers[first_question + i].leaves.data();
        for (std::size_t k = 0; k < strip; k += 16) {
            choose(asked + k, question.rank, left + k, right + k, chosen + k);
        }
    }
}

}  // namespace shrubs
