/* A learner without tuning in LIMIT bytes; without LIMIT, the paper's algorithm in 4 KB. */

#include "shrubs.h"

#include "peer.h"

#ifdef LIMIT
static uint64_t memory[LIMIT / 8];
#else
static uint64_t memory[4096 / 8];
#endif
static shrubs_learner* learner;

uint32_t peer_begin(void) {
#ifdef LIMIT
    const shrubs_options options = shrubs_auto_options(N_FEATURES, N_CLASSES, LIMIT);
#else
    shrubs_options options = shrubs_paper_options(N_FEATURES, N_CLASSES);
    options.paper.window_size = 32;
    options.paper.max_shrubs = 8;
    options.paper.max_depth = 4;
    options.paper.step_size = 0.1;
#endif
    return shrubs_begin(&options, memory, sizeof memory, &learner) == SHRUBS_OK
               ? (uint32_t)shrubs_bytes(&options)
               : 0;
}

int peer_predict(const float* x) {
    double f[N_CLASSES];
    shrubs_predict(learner, x, f);
    return (int)shrubs_most_likely(f, N_CLASSES);
}

void peer_learn(const float* x, int y) {
    shrubs_learn(learner, x, y);
}
