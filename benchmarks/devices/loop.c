/* Predicts and learns the drifting stream; prints what that takes per example. */

#include "peer.h"

int main(void) {
    const uint32_t bytes = peer_begin();
    drifting_stream stream = {1, EXAMPLES / 2};
    uint64_t predicting = 0;
    uint64_t learning = 0;
    uint32_t n_right = 0;
    for (int i = 0; i < EXAMPLES; ++i) {
        float x[N_FEATURES];
        const int y = next_example(&stream, x);
        const uint64_t begun = board_instructions();
        n_right += peer_predict(x) == y;
        const uint64_t predicted = board_instructions();
        peer_learn(x, y);
        learning += board_instructions() - predicted;
        predicting += predicted - begun;
    }
    board_print_number("right", n_right);
    board_print_number("bytes", bytes);
    board_print_number("stack", board_stack_bytes());
    board_print_number("predict", predicting / EXAMPLES);
    board_print_number("learn", learning / EXAMPLES);
    return 0;
}
