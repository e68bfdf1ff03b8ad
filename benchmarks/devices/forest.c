/* A forest that emlearn has exported: it predicts and does not learn. */

#include "forest.h"

#include "peer.h"

uint32_t peer_begin(void) {
    return 0;
}

int peer_predict(const float* x) {
    int16_t features[N_FEATURES];
    for (int i = 0; i < N_FEATURES; ++i) {
        features[i] = (int16_t)(x[i] * 32767.0F);
    }
    return forest_predict(features, N_FEATURES);
}

void peer_learn(const float* x, int y) {
    (void)x;
    (void)y;
}
