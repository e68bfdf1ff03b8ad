/* Goes on with what Python has saved. */

#include "board.h"
#include "drifting_stream.h"
#include "saved.h" /* saved, in read-only memory */
#include "shrubs.h"

static uint64_t memory[4096];
static uint8_t state[32768];

int main(void) {
    const shrubs_method* method = shrubs_method_of(saved, sizeof saved);
    shrubs_learner* learner;
    if (method == NULL || shrubs_load_bytes(method, saved, sizeof saved) > sizeof memory ||
        shrubs_load(method, saved, sizeof saved, memory, sizeof memory, &learner) != SHRUBS_OK) {
        return 1;
    }
    drifting_stream stream = {1, 100};
    for (int i = 0; i < 150; ++i) {
        float x[N_FEATURES];
        const int y = next_example(&stream, x);
        if (i >= 100) {
            shrubs_learn(learner, x, y == FIRST_CLASS ? 0 : 1);
        }
    }
    if (shrubs_save(learner, state, sizeof state) != SHRUBS_OK) {
        return 1;
    }
    board_print_bytes("state", state, shrubs_state_bytes(learner));
    return 0;
}
