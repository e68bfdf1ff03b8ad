/* A stream that drifts, from integers alone: the same on every machine. */
#ifndef DRIFTING_STREAM_H
#define DRIFTING_STREAM_H

#include <stdint.h>

enum { N_FEATURES = 4, N_CLASSES = 2 };

typedef struct drifting_stream {
    uint32_t random; /* not 0 */
    uint32_t drifts_after;
} drifting_stream;

/* xorshift: 24 bits, which a float holds exactly. */
static uint32_t draw(drifting_stream* stream) {
    stream->random ^= stream->random << 13;
    stream->random ^= stream->random >> 17;
    stream->random ^= stream->random << 5;
    return stream->random >> 8;
}

/* Fills x and returns the class: x[0] + x[2] > 1 at first, x[1] + x[2] > 1 after the drift. One in
 * sixteen is wrong. */
static int next_example(drifting_stream* stream, float* x) {
    for (int i = 0; i < N_FEATURES; ++i) {
        x[i] = (float)draw(stream) / 16777216.0F;
    }
    const float first = stream->drifts_after > 0 ? x[0] : x[1];
    if (stream->drifts_after > 0) {
        --stream->drifts_after;
    }
    return (first + x[2] > 1.0F) != (draw(stream) % 16 == 0);
}

#endif
