/* No learner: what the loop and the board take themselves. */

#include "peer.h"

uint32_t peer_begin(void) {
    return 0;
}
int peer_predict(const float* x) {
    (void)x;
    return 0;
}
void peer_learn(const float* x, int y) {
    (void)x;
    (void)y;
}
