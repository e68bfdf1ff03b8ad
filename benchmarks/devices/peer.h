/* What a learner has to do to be measured on a board; loop.c calls it. */
#ifndef PEER_H
#define PEER_H

#include <stdint.h>

#include "board.h"
#include "drifting_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a new learner; returns the bytes that it takes. */
uint32_t peer_begin(void);
int peer_predict(const float* x);
void peer_learn(const float* x, int y);

#ifdef __cplusplus
}
#endif

#endif
