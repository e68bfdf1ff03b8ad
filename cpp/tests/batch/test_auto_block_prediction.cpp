#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "auto_holders.hpp"
#include "shrubs/batch/auto_block_prediction.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

std::size_t width_of(const AutoEnsemble& ensemble) {
    return ensemble.plan().width();
}

std::vector<double> one_by_one(const AutoEnsemble& ensemble, const std::vector<float>& rows) {
    const std::size_t n_features = ensemble.dimensions().n_features;
    std::vector<double> all;
    std::vector<double> f(width_of(ensemble));
    for (std::size_t at = 0; at < rows.size(); at += n_features) {
        ensemble.predict(std::span(rows).subspan(at, n_features), f);
        all.insert(all.end(), f.begin(), f.end());
    }
    return all;
}

template <class T>
std::vector<double> all_at_once(const AutoEnsemble& ensemble, const std::vector<T>& rows) {
    const std::size_t n_features = ensemble.dimensions().n_features;
    const std::size_t n_rows = rows.size() / n_features;
    std::vector<double> out(n_rows * width_of(ensemble), -1.0);
    AutoBlockPrediction prediction(ensemble);
    for (std::size_t row = 0; row < n_rows; row += AutoBlockPrediction::max_rows) {
        prediction.predict(rows.data() + row * n_features,
                           std::min(AutoBlockPrediction::max_rows, n_rows - row),
                           out.data() + row * width_of(ensemble));
    }
    return out;
}

// Examples of which no two are alike, with categories, unknown ones too, and missing values.
class Source {
 public:
    Source(const AutoKind& kind, std::uint32_t missing_every)
        : source_(5, kind.dimensions, missing_every) {}

    Example next() {
        Example example = source_.next();
        x_.assign(example.x.begin(), example.x.end());
        for (std::size_t i = 0; i + 1 < x_.size(); ++i) {
            x_[i] += static_cast<float>(0.125 * random_.uniform());
        }
        x_.back() = x_.size() > 1 ? x_.back() * 8.0F : x_.back();
        example.x = x_;
        return example;
    }

    std::vector<float> rows(std::size_t n) {
        std::vector<float> all;
        for (std::size_t i = 0; i < n; ++i) {
            next();
            x_.back() = i % 13 == 5 ? -1.0F : x_.back();
            all.insert(all.end(), x_.begin(), x_.end());
        }
        return all;
    }

 private:
    ExampleSource source_;
    Random random_{3, 0};
    std::vector<float> x_;
};

std::unique_ptr<AutoHolder> taught(const AutoKind& kind, Source& source, int n_examples) {
    std::vector<std::uint8_t> nominal(kind.dimensions.n_features, 0);
    nominal.back() = kind.dimensions.n_features > 1 ? 1 : 0;
    auto holder = std::make_unique<AutoHolder>(kind.config, kind.dimensions, nominal);
    for (int i = 0; i < n_examples; ++i) {
        holder->ensemble().learn(source.next());
    }
    return holder;
}

constexpr std::size_t most = AutoBlockPrediction::max_rows;

}  // namespace

TEST_CASE("rows have the same prediction without tuning, alone and in a batch of any size") {
    for (const AutoKind& kind : auto_kinds()) {
        for (const int n_examples : {1, 2, 40, 700}) {
            Source source(kind, 7);
            const auto holder = taught(kind, source, n_examples);
            for (const std::size_t n : {std::size_t{1}, std::size_t{33}, RankedShrubs::strip,
                                        RankedShrubs::strip + 1, most}) {
                const std::vector<float> rows = source.rows(n);
                CHECK_EQ(all_at_once(holder->ensemble(), rows),
                         one_by_one(holder->ensemble(), rows));
            }
        }
    }
}

TEST_CASE("shrubs that are too large to be ranked say the same in a batch") {
    const AutoKind classify{{Task::classification, 1U << 21U, 1}, {3, 5, 0}};
    const AutoKind regress{{Task::regression, 1U << 20U, 1}, {3, 0, 0}};
    for (const AutoKind& kind : {classify, regress}) {
        Source source(kind, 0);
        const auto holder = taught(kind, source, 4000);
        const PlacedShrubs& shrubs = holder->ensemble().shrubs();
        std::uint32_t largest = 0;
        for (std::uint32_t place = 0; place < shrubs.plan().n_places; ++place) {
            largest = std::max(largest, shrubs.is_grown(place) ? shrubs.n_inner(place) : 0);
        }
        CHECK(largest > RankedShrubs::max_questions);
        const std::vector<float> rows = source.rows(most + 100);
        CHECK_EQ(all_at_once(holder->ensemble(), rows), one_by_one(holder->ensemble(), rows));
    }
}

TEST_CASE("a batch of doubles is predicted without tuning in single precision") {
    const AutoKind kind = auto_kinds()[0];
    Source source(kind, 5);
    const auto holder = taught(kind, source, 200);
    std::vector<float> rows = source.rows(100);
    rows[0] = 0.0F;
    std::vector<double> doubles(rows.begin(), rows.end());
    doubles[0] = -0.0;
    CHECK_EQ(all_at_once(holder->ensemble(), doubles), one_by_one(holder->ensemble(), rows));
}

TEST_CASE("a batch does not pay where few rows come or nothing was learned") {
    const AutoKind kind = auto_kinds()[0];
    Source source(kind, 0);
    CHECK(!AutoBlockPrediction::pays(taught(kind, source, 0)->ensemble(), 5000));
    const auto holder = taught(kind, source, 300);
    CHECK(!AutoBlockPrediction::pays(holder->ensemble(), 1));
    CHECK(AutoBlockPrediction::pays(holder->ensemble(), 5000));
}
