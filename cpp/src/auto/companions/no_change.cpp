#include "shrubs/auto/companions/no_change.hpp"

#include <algorithm>

namespace shrubs {

void NoChange::predict(const Question& question, std::span<double> /*scratch*/,
                       std::span<float> prediction) const {
    const LastOutcomes& last = question.last;
    if (task_ == Task::regression) {
        prediction[0] = static_cast<float>(
            std::clamp(last.targets[0], -largest_prediction, largest_prediction));
        return;
    }
    const float each = last.n == 0 ? 1.0F / static_cast<float>(prediction.size()) : 0.0F;
    std::ranges::fill(prediction, each);
    if (last.n > 0) {
        prediction[last.labels[0]] = 1.0F;
    }
}

}  // namespace shrubs
