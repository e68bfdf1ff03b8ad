/* The paper's algorithm on more features than the code of small machines looks at side by side. */

#include "board.h"
#include "drifting_stream.h"
#include "shrubs.h"

enum { WIDTH = 9 };

static uint64_t memory[4096];
static uint8_t state[32768];

int main(void) {
    shrubs_options options = shrubs_paper_options(WIDTH, N_CLASSES);
    options.paper.window_size = 64;
    options.paper.max_shrubs = 8;
    options.paper.max_features = TRIED;
    options.paper.random_splits = RANDOM;
    shrubs_learner* learner;
    if (shrubs_begin(&options, memory, sizeof memory, &learner) != SHRUBS_OK) {
        return 1;
    }
    drifting_stream stream = {1, 0};
    for (int i = 0; i < 200; ++i) {
        float x[WIDTH];
        for (int j = 0; j < WIDTH; ++j) {
            x[j] = (float)(draw(&stream) % 16);
        }
        shrubs_learn(learner, x, x[0] > x[8]);
    }
    if (shrubs_save(learner, state, sizeof state) != SHRUBS_OK) {
        return 1;
    }
    board_print_bytes("state", state, shrubs_state_bytes(learner));
    return 0;
}
