#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "auto_holders.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// What follows the last labels of a stream.
class Follows {
 public:
    Follows(std::uint32_t n_labels, std::uint32_t n_classes, std::uint32_t n_contexts)
        : scale_({}),
          table_(Transitions("test", n_labels), {.width = n_classes, .n_contexts = n_contexts}),
          said_(n_classes) {}

    void learn(std::uint16_t label) {
        table_.companion().learn({{}, scale_.scale(), last_}, {label, {}, {}, {}});
        for (std::uint32_t i = LastOutcomes::most - 1; i > 0; --i) {
            last_.labels[i] = last_.labels[i - 1];
        }
        last_.labels[0] = label;
        last_.n = std::min(last_.n + 1, LastOutcomes::most);
    }
    const std::vector<float>& predict() {
        table_.companion().predict({{}, scale_.scale(), last_}, {}, said_);
        return said_;
    }
    Transitions& table() { return table_.companion(); }

 private:
    ScaleHolder scale_;
    CompanionHolder<Transitions> table_;
    LastOutcomes last_;
    std::vector<float> said_;
};

}  // namespace

TEST_CASE("what follows a label is learned, and of two labels what one does not tell") {
    // After 0 comes 1 or 2 by turns: only the label before tells which.
    const std::vector<std::uint16_t> cycle = {0, 1, 0, 2};
    Follows one(1, 3, 16);
    Follows two(2, 3, 16);
    for (std::size_t t = 0; t < 400; ++t) {
        const std::uint16_t label = cycle[t % cycle.size()];
        if (t > 20) {
            CHECK(two.predict()[label] > 0.8F);
            CHECK(label == 0 ? one.predict()[0] > 0.8F : one.predict()[label] < 0.7F);
        }
        one.learn(label);
        two.learn(label);
    }
}

TEST_CASE("a table of what follows goes on with more classes and contexts") {
    Follows old(1, 2, 2);
    for (std::uint16_t t = 0; t < 40; ++t) {
        old.learn(t % 2);
    }
    Follows wider(1, 12, 16);
    wider.table().copy_from(old.table());
    wider.learn(1);
    CHECK(wider.predict()[0] > 0.8F);
    wider.table().renumber_classes(
        std::array<std::uint16_t, 12>{gone_class, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(wider.predict()[0] < 0.2F);
}
