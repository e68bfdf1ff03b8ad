// Learns a stream that drifts, in 8 KB: prints how often it was right, 250 examples at a time.

#include <shrubs.h>

#include "drifting_stream.h"

static uint64_t memory[1024];
static shrubs_learner* learner;
static drifting_stream stream = {1, 1000};

void setup() {
    Serial.begin(115200);
    const shrubs_options options = shrubs_auto_options(N_FEATURES, N_CLASSES, sizeof memory);
    const shrubs_error error = shrubs_begin(&options, memory, sizeof memory, &learner);
    if (error != SHRUBS_OK) {
        Serial.println(shrubs_message(error));
    }
}

void loop() {
    if (learner == nullptr) {
        return;
    }
    int right = 0;
    for (int i = 0; i < 250; ++i) {
        float x[N_FEATURES];
        double f[N_CLASSES];
        const int y = next_example(&stream, x);
        shrubs_predict(learner, x, f);
        shrubs_learn(learner, x, y);
        right += (int)shrubs_most_likely(f, N_CLASSES) == y;
    }
    Serial.println(right / 250.0);
}
