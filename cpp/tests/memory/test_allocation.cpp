// The promise of the plan: a learner's memory is known beforehand, and no example allocates.
//
// Every allocation of this program is counted: by the address sanitizer if it is there, on glibc by
// malloc itself, elsewhere by operator new. check_symbols.sh shows the rest: the core does not even
// refer to an allocator.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "auto_holders.hpp"
#include "states.hpp"
#include "testing.hpp"

namespace {

struct Counter {
    std::size_t allocations = 0;
    std::size_t bytes = 0;
};

Counter counter;

void count(std::size_t bytes) {
    ++counter.allocations;
    counter.bytes += bytes;
}

}  // namespace

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHRUBS_TESTS_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SHRUBS_TESTS_SANITIZED
#endif

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): these names are given.
#if defined(SHRUBS_TESTS_SANITIZED)

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*,
                                                                           std::size_t),
                                                         void (*on_free)(const volatile void*));

namespace {

const int hooks_installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { count(size); }, [](const volatile void*) {});

}  // namespace

#elif defined(__GLIBC__)

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t n, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) {
    count(size);
    return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
    count(n * size);
    return __libc_calloc(n, size);
}
void* realloc(void* old, std::size_t size) {
    count(size);
    return __libc_realloc(old, size);
}
void free(void* memory) {
    __libc_free(memory);
}
}

#else

void* operator new(std::size_t size) {
    count(size);
    if (void* memory = std::malloc(size > 0 ? size : 1)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

#endif
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

using namespace shrubs;

namespace {

// What `work` allocates.
template <class Work>
Counter allocated_by(Work work) {
    const Counter before = counter;
    work();
    return {counter.allocations - before.allocations, counter.bytes - before.bytes};
}

}  // namespace

TEST_CASE("allocations are counted") {
    // Called by name: a compiler may leave out what `new` or a container takes.
    const Counter seen = allocated_by([] { ::operator delete(::operator new(80)); });
    CHECK_EQ(seen.allocations, 1U);
    CHECK_EQ(seen.bytes, 80U);
}

TEST_CASE("a learner takes exactly its own size and the bytes of its plan") {
    for (const Kind& kind : all_kinds()) {
        const std::size_t planned = PaperEnsemble::report(kind.config, kind.dimensions).total();
        const std::vector<std::uint8_t> nominal(kind.dimensions.n_features, 0);
        ExampleSource source(1, kind.dimensions, 8);
        std::unique_ptr<std::uint64_t[]> arena;
        std::unique_ptr<PaperEnsemble> ensemble;
        const Counter seen = allocated_by([&] {
            arena = std::make_unique<std::uint64_t[]>(planned / sizeof(std::uint64_t));
            const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(arena.get()), planned);
            ensemble =
                std::make_unique<PaperEnsemble>(kind.config, kind.dimensions, nominal, bytes);
            for (int i = 0; i < 100; ++i) {
                ensemble->learn(source.next());
            }
        });
        CHECK_EQ(seen.allocations, 2U);
        CHECK_EQ(seen.bytes, sizeof(PaperEnsemble) + planned);
    }
}

TEST_CASE("no example allocates, whether it is learned or predicted") {
    for (const Kind& kind : all_kinds()) {
        LearnerHolder holder(kind.config, kind.dimensions);
        ExampleSource source(2, kind.dimensions, 8);
        std::vector<double> f(std::max(kind.dimensions.n_classes, 1U));
        const Counter seen = allocated_by([&] {
            for (int i = 0; i < 300; ++i) {
                const Example example = source.next();
                holder.ensemble().predict(example.x, f);
                holder.ensemble().predict_next(example.x, f);
                holder.ensemble().learn_next(example);
            }
        });
        CHECK_EQ(seen.allocations, 0U);
    }
}

TEST_CASE("saving and loading allocate nothing themselves") {
    for (const Kind& kind : all_kinds()) {
        const auto holder = taught(kind);
        const auto kinds = holder->ensemble().nominal();
        LearnerHolder copy(kind.config, kind.dimensions, {kinds.begin(), kinds.end()});
        std::vector<std::byte> state(state_bytes(holder->ensemble(), {}));
        StateError error = StateError::invalid;
        const Counter seen = allocated_by([&] {
            save_state(holder->ensemble(), {}, state);
            error = load_state(state, read_header<PaperEnsemble>(state), copy.ensemble());
        });
        CHECK_EQ(error, StateError::none);
        CHECK_EQ(seen.allocations, 0U);
    }
}

TEST_CASE("a learner without parameters takes exactly its own size and the bytes of its plan") {
    for (const AutoKind& kind : auto_kinds()) {
        const std::size_t planned = make_auto_plan(kind.config, kind.dimensions, 0).total_bytes;
        const std::vector<std::uint8_t> nominal(kind.dimensions.n_features, 0);
        ExampleSource source(1, kind.dimensions, 8);
        std::unique_ptr<std::uint64_t[]> arena;
        std::unique_ptr<AutoEnsemble> ensemble;
        const Counter seen = allocated_by([&] {
            arena = std::make_unique<std::uint64_t[]>(planned / sizeof(std::uint64_t));
            const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(arena.get()), planned);
            ensemble = std::make_unique<AutoEnsemble>(kind.config, kind.dimensions, nominal, bytes);
            for (int i = 0; i < 100; ++i) {
                ensemble->learn(source.next());
            }
        });
        CHECK_EQ(seen.allocations, 2U);
        CHECK_EQ(seen.bytes, sizeof(AutoEnsemble) + planned);
        CHECK(planned <= kind.config.arena_bytes);
    }
}

TEST_CASE("a learner without parameters allocates for nothing it does") {
    for (const AutoKind& kind : auto_kinds()) {
        const auto holder = auto_taught(kind, 0);
        const auto loaded_one = auto_taught(kind, 0);
        const auto adopting = auto_taught(kind, 0);
        ExampleSource source(2, kind.dimensions, 8);
        std::vector<double> f(std::max(kind.dimensions.n_classes, 1U));
        const Counter learning = allocated_by([&] {
            for (int i = 0; i < 200; ++i) {
                const Example example = source.next();
                holder->ensemble().predict(example.x, f);
                holder->ensemble().predict_next(example.x, f);
                holder->ensemble().learn_next(example);
            }
        });
        CHECK_EQ(learning.allocations, 0U);
        std::vector<std::byte> state(state_bytes(holder->ensemble(), {}));
        StateError error = StateError::invalid;
        const Counter moving = allocated_by([&] {
            save_state(holder->ensemble(), {}, state);
            error = load_state(state, read_header<AutoEnsemble>(state), loaded_one->ensemble());
            adopting->ensemble().copy_from(holder->ensemble());
        });
        CHECK_EQ(error, StateError::none);
        CHECK_EQ(moving.allocations, 0U);
    }
}
