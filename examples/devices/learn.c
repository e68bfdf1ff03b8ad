/* Learns a drifting stream on a board, and prints what a PC has to find too: how often it was right, a
 * digest of its predictions, and its state.
 *
 * LIMIT is the memory of a learner without tuning; without it, this is the paper's algorithm in 4 KB.
 */

#include "board.h"
#include "drifting_stream.h"
#include "shrubs.h"

#ifndef EXAMPLES
#define EXAMPLES 1000
#endif
#ifdef LIMIT
static uint64_t memory[LIMIT / 8];
#else
static uint64_t memory[4096 / 8];
#endif
static uint8_t state[65536];

static shrubs_options options_here(void) {
#ifdef LIMIT
    return shrubs_auto_options(N_FEATURES, N_CLASSES, LIMIT);
#else
    shrubs_options options = shrubs_paper_options(N_FEATURES, N_CLASSES);
    options.paper.window_size = 32;
    options.paper.max_shrubs = 8;
    options.paper.max_depth = 4;
    options.paper.step_size = 0.1;
    return options;
#endif
}

static uint64_t digest(uint64_t hash, const void* bytes, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        hash = (hash ^ ((const uint8_t*)bytes)[i]) * 0x100000001B3U;
    }
    return hash;
}

static void print_state(size_t n) {
    static const char digits[] = "0123456789abcdef";
    char line[65] = {0};
    board_print("state ");
    for (size_t at = 0; at < n; at += 32) {
        const size_t n_here = n - at < 32 ? n - at : 32;
        for (size_t i = 0; i < n_here; ++i) {
            line[2 * i] = digits[state[at + i] >> 4];
            line[2 * i + 1] = digits[state[at + i] & 15];
        }
        line[2 * n_here] = '\0';
        board_print(line);
    }
    board_print("\n");
}

int main(void) {
    const shrubs_options options = options_here();
    shrubs_learner* learner;
    const shrubs_error error = shrubs_begin(&options, memory, sizeof memory, &learner);
    if (error != SHRUBS_OK) {
        board_print(shrubs_message(error));
        return 1;
    }
    drifting_stream stream = {1, EXAMPLES / 2};
    uint64_t predictions = 0xCBF29CE484222325U;
    uint64_t predicting = 0;
    uint64_t learning = 0;
    uint32_t n_right = 0;
    for (int i = 0; i < EXAMPLES; ++i) {
        float x[N_FEATURES];
        double f[N_CLASSES];
        const int y = next_example(&stream, x);
        const uint64_t begun = board_instructions();
        shrubs_predict(learner, x, f);
        const uint64_t predicted = board_instructions();
        shrubs_learn(learner, x, y);
        learning += board_instructions() - predicted;
        predicting += predicted - begun;
        predictions = digest(predictions, f, sizeof f);
        n_right += shrubs_most_likely(f, N_CLASSES) == (uint32_t)y;
    }
    board_print_number("right", n_right);
    board_print_number("predictions", predictions);
    board_print_number("predict", predicting / EXAMPLES);
    board_print_number("learn", learning / EXAMPLES);
    board_print_number("bytes", shrubs_bytes(&options));
    board_print_number("stack", board_stack_bytes());
    if (shrubs_save(learner, state, sizeof state) == SHRUBS_OK) {
        print_state(shrubs_state_bytes(learner));
    }
    return 0;
}
