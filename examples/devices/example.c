/* Learns a stream that drifts, in 8 KB, and saves what it has learned for Python. */

#include <stdio.h>

#include "drifting_stream.h"
#include "shrubs.h"

static uint64_t memory[1024];
static uint8_t state[8192];

int main(void) {
    shrubs_learner* learner;
    const shrubs_options options = shrubs_auto_options(N_FEATURES, N_CLASSES, sizeof memory);
    const shrubs_error error = shrubs_begin(&options, memory, sizeof memory, &learner);
    if (error != SHRUBS_OK) {
        return puts(shrubs_message(error));
    }
    drifting_stream stream = {1, 1000};
    for (int i = 1, right = 0; i <= 2000; ++i) {
        float x[N_FEATURES];
        double f[N_CLASSES];
        const int y = next_example(&stream, x);
        shrubs_predict(learner, x, f);
        shrubs_learn(learner, x, y);
        right += shrubs_most_likely(f, N_CLASSES) == (uint32_t)y;
        if (i % 250 == 0) {
            printf("%4d  %.3f\n", i - 250, right / 250.0);
            right = 0;
        }
    }
    shrubs_save(learner, state, sizeof state);
    FILE* file = fopen("device.shrubs", "wb");
    return fwrite(state, shrubs_state_bytes(learner), 1, file) != 1 || fclose(file) != 0;
}
