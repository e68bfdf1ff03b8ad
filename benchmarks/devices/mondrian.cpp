// OrpailleCC's Mondrian forest in LIMIT bytes, with the most accurate of a few parameters.

#include <math.h>

#include "mondrian.hpp"
#include "peer.h"

namespace {

struct Functions {
    static double exp(double x) { return ::exp(x); }
    static double log(double x) { return ::log(x); }
    static double rand_uniform() {
        static drifting_stream random = {7, 0};
        return draw(&random) / 16777216.0;
    }
};

using Forest = MondrianForest<float, Functions, TREES, N_FEATURES, N_CLASSES, LIMIT>;
alignas(Forest) unsigned char memory[sizeof(Forest)];
Forest& forest = *reinterpret_cast<Forest*>(memory);

}  // namespace

inline void* operator new(decltype(sizeof 0), void* where) noexcept { return where; }

uint32_t peer_begin(void) {
    new (memory) Forest(LIFETIME, BASE, DISCOUNT);
    return sizeof(Forest);
}

int peer_predict(const float* x) {
    return forest.predict(x);
}

void peer_learn(const float* x, int y) {
    forest.train(x, y);
}
