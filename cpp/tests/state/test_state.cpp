// What holds for the byte state of every kind of learner.

#include <algorithm>
#include <vector>

#include "auto_holders.hpp"
#include "states.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t small = 5000;

std::vector<Bytes> paper_states() {
    std::vector<Bytes> states;
    for (const Kind& kind : all_kinds()) {
        states.push_back(state_of(taught(kind, 4)->ensemble()));
    }
    return states;
}

std::vector<Bytes> auto_states() {
    std::vector<Bytes> states;
    for (const Task task : {Task::classification, Task::regression}) {
        const Dimensions dimensions{2, task == Task::classification ? 2U : 0U, 0};
        const AutoConfig config{task, smallest_auto_arena({.task = task}, dimensions, 1), 5};
        states.push_back(state_of(auto_taught({config, dimensions}, 20)->ensemble()));
    }
    return states;
}

std::vector<Bytes> tree_states() {
    TreeHolder holder({.window_size = 12}, {2, 3, 2}, {0, 1});
    ExampleSource source(7, {2, 3, 2}, 6);
    for (int i = 0; i < 30; ++i) {
        holder.ensemble().learn(source.next());
    }
    return {state_of(holder.ensemble())};
}

/// Calls `check(state, header error, is loaded)` for a state of every kind; the last two are
/// functions of bytes.
template <class Check>
void for_every_state(Check check) {
    const auto all = [&]<class Ensemble>(const std::vector<Bytes>& states, auto is_loaded) {
        for (const Bytes& state : states) {
            check(
                state,
                [](std::span<const std::byte> bytes) { return read_header<Ensemble>(bytes).error; },
                is_loaded);
        }
    };
    all.template operator()<PaperEnsemble>(
        paper_states(), [](const Bytes& state) { return loaded(state) != nullptr; });
    all.template operator()<AutoEnsemble>(
        auto_states(), [](const Bytes& state) { return auto_loaded(state) != nullptr; });
    all.template operator()<WindowedTree>(
        tree_states(), [](const Bytes& state) { return loaded<WindowedTree>(state) != nullptr; });
}

}  // namespace

TEST_CASE("a state is framed as documented and loads") {
    for_every_state([](const Bytes& state, auto error_of, auto is_loaded) {
        CHECK_EQ(std::memcmp(state.data(), "SHRUB", 5), 0);
        Bytes resealed = state;
        seal(resealed);
        CHECK(resealed == state);
        CHECK_EQ(error_of(state), StateError::none);
        CHECK(is_loaded(state));
    });
}

TEST_CASE("no kind of state is taken for another") {
    const Bytes paper = paper_states()[0];
    const Bytes untuned = auto_states()[0];
    const Bytes tree = tree_states()[0];
    CHECK_EQ(std::memcmp(paper.data(), "SHRUBS\2\0", 8), 0);
    CHECK_EQ(std::memcmp(untuned.data(), "SHRUBA\12\0", 8), 0);
    CHECK_EQ(std::memcmp(tree.data(), "SHRUBT\1\0", 8), 0);
    CHECK_EQ(read_header<PaperEnsemble>(untuned).error, StateError::not_a_state);
    CHECK_EQ(read_header<PaperEnsemble>(tree).error, StateError::not_a_state);
    CHECK_EQ(read_header<AutoEnsemble>(paper).error, StateError::not_a_state);
    CHECK_EQ(read_header<WindowedTree>(paper).error, StateError::not_a_state);
}

TEST_CASE("every truncation is refused") {
    for_every_state([](const Bytes& state, auto error_of, auto is_loaded) {
        for (std::size_t size = 0; size < state.size(); ++size) {
            const auto cut = std::span(state).first(size);
            CHECK_EQ(error_of(cut), size < 6 ? StateError::not_a_state : StateError::truncated);
        }
        // A large state takes long to check: not every place of it.
        const std::size_t step = state.size() < small ? 1 : 13;
        for (std::size_t size = 0; size < state.size(); size += size < 200 ? 1 : step) {
            Bytes sealed(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(size));
            seal(sealed);
            CHECK(!is_loaded(sealed));
        }
    });
}

TEST_CASE("bytes after the end are refused") {
    for_every_state([](Bytes state, auto error_of, auto is_loaded) {
        state.push_back(std::byte{0});
        CHECK_EQ(error_of(state), StateError::corrupted);
        seal(state);
        CHECK(!is_loaded(state));
    });
}

TEST_CASE("every byte flip is refused") {
    for_every_state([](Bytes state, auto error_of, auto /*is_loaded*/) {
        const std::vector<std::uint8_t> flips = {1, 16, 128, 255};
        for (std::size_t at = 0; at < state.size(); ++at) {
            for (std::size_t i = 0; i < flips.size(); ++i) {
                if (state.size() < small || i == at % flips.size()) {
                    state[at] ^= std::byte{flips[i]};
                    CHECK(error_of(state) != StateError::none);
                    state[at] ^= std::byte{flips[i]};
                }
            }
        }
    });
}

TEST_CASE("a newer version is told apart from corruption") {
    for_every_state([](Bytes state, auto error_of, auto /*is_loaded*/) {
        state[6] = std::byte{200};
        seal(state);
        CHECK_EQ(error_of(state), StateError::too_new);
        state[6] = std::byte{0};
        seal(state);
        CHECK_EQ(error_of(state), StateError::corrupted);
    });
}
