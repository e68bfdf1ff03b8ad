/* Learns from a stream of examples inside a buffer that you give it.
 *
 *     static uint64_t memory[1024];
 *     shrubs_learner* learner;
 *     shrubs_options options = shrubs_auto_options(4, 2, sizeof memory);
 *     shrubs_begin(&options, memory, sizeof memory, &learner);
 *     shrubs_predict(learner, x, probabilities);
 *     shrubs_learn(learner, x, label);
 *
 * There is no heap, no file, no thread and no mathematical library in it. The same seed and
 * examples give the same bits on every machine. docs/devices.md has an example and what it takes.
 *
 * A learner serves one caller at a time, predictions included. Whoever gets an error finds the
 * learner as it was.
 */
#ifndef SHRUBS_H
#define SHRUBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A learner at work. It is in your buffer, which must stay where it is. There is nothing to end. */
typedef struct shrubs_learner shrubs_learner;

/* How it learns. Only the methods that a program names become part of it. */
typedef struct shrubs_method shrubs_method;
extern const shrubs_method shrubs_auto;  /* without tuning; ShrubClassifier in Python */
extern const shrubs_method shrubs_paper; /* Algorithm 1; PaperShrubClassifier in Python */

typedef enum shrubs_error {
    SHRUBS_OK = 0,
    SHRUBS_BAD_OPTIONS,   /* a value is out of range, or memory_limit is too small */
    SHRUBS_BAD_BUFFER,    /* not aligned to eight bytes, or too short */
    SHRUBS_BAD_FEATURE,   /* infinite; or learned as a category and no integer from 0 to 16777215 */
    SHRUBS_BAD_OUTCOME,   /* no class from 0 to n_classes - 1, or a target that is not finite */
    SHRUBS_NOT_A_STATE,   /* not a saved learner of this method */
    SHRUBS_STATE_TOO_NEW, /* saved by a newer version */
    SHRUBS_STATE_TRUNCATED,
    SHRUBS_STATE_CORRUPTED, /* its checksum does not match */
    SHRUBS_STATE_INVALID    /* its contents contradict each other; the buffer holds no learner */
} shrubs_error;

/* What is wrong, in words. */
const char* shrubs_message(shrubs_error error);

/* The hyperparameters of the paper; docs/algorithm.md explains them. */
typedef struct shrubs_paper_parameters {
    double step_size;           /* greater than 0, at most 1e100 */
    uint32_t max_shrubs;        /* 1 to 65534 */
    uint32_t window_size;       /* 1 to 65535 */
    uint32_t max_depth;         /* 0: no limit */
    uint32_t max_features;      /* tried per node; 0: all */
    uint32_t min_samples_leaf;  /* at least 1 */
    uint32_t steps_per_example; /* at least 1 */
    uint32_t grow_every;        /* at least 1 */
    bool random_splits;         /* or the best ones */
    bool cross_entropy;         /* or the squared error; classification only */
    bool target_scaling;        /* regression only */
    bool caches; /* more memory, less time, the same model; classification, not -Os */
} shrubs_paper_parameters;

/* What to learn, and how. Make one with a function below, then change what you like. */
typedef struct shrubs_options {
    const shrubs_method* method;
    uint32_t n_features;    /* at most 16384 */
    uint32_t n_classes;     /* at most 65535; 0: y is a target, not a class */
    const uint8_t* nominal; /* n_features times 1 for a feature that holds codes of categories, or
                               0; NULL: none does. Read while a learner begins, not after */
    uint64_t seed;
    uint64_t memory_limit; /* shrubs_auto: the most bytes it takes, all included */
    uint32_t label_delay;  /* shrubs_auto: outcomes between the prediction of an example and its
                              own, at most 65535 */
    bool last_outcomes;    /* shrubs_auto: may the last outcomes help to predict the next? */
    shrubs_paper_parameters paper; /* shrubs_paper */
} shrubs_options;

/* Without tuning, in so many bytes. */
shrubs_options shrubs_auto_options(uint32_t n_features, uint32_t n_classes, uint64_t memory_limit);
/* The paper's algorithm with the defaults that it has in Python, but without caches. */
shrubs_options shrubs_paper_options(uint32_t n_features, uint32_t n_classes);

/* The bytes that a learner takes on this machine; 0 if the options are wrong. */
size_t shrubs_bytes(const shrubs_options* options);

/* Begins a learner in a buffer of at least shrubs_bytes(options), aligned to eight. */
shrubs_error shrubs_begin(const shrubs_options* options, void* buffer, size_t bytes,
                          shrubs_learner** learner);

/* Learns one example: n_features values, NaN for a missing one, and its class or target. Right
 * after the prediction of the same x it takes less time. */
shrubs_error shrubs_learn(shrubs_learner* learner, const float* x, double y);

/* Writes the probability of each class to f, uniform before the first example; or the target. */
shrubs_error shrubs_predict(shrubs_learner* learner, const float* x, double* f);

/* The most likely class, the first of equals. */
uint32_t shrubs_most_likely(const double* f, uint32_t n_classes);

uint32_t shrubs_n_features(const shrubs_learner* learner);
uint32_t shrubs_n_classes(const shrubs_learner* learner);
uint64_t shrubs_examples_seen(const shrubs_learner* learner);

/* Saves a learner into at least shrubs_state_bytes(learner) bytes: the same on every machine, and
 * what Python's load and from_bytes read. */
size_t shrubs_state_bytes(const shrubs_learner* learner);
shrubs_error shrubs_save(shrubs_learner* learner, void* state, size_t bytes);

/* The method of a saved learner; NULL if it is of neither. */
const shrubs_method* shrubs_method_of(const void* state, size_t bytes);

/* The bytes that a saved learner takes on this machine; 0 if it cannot be loaded. */
size_t shrubs_load_bytes(const shrubs_method* method, const void* state, size_t state_bytes);

/* Goes on with a saved learner, this library's or Python's, as if it had never stopped. What Python
 * keeps along (names, labels) is kept and saved again; its class weights do not apply here. The
 * state may be in read-only memory, and must not be in the buffer. */
shrubs_error shrubs_load(const shrubs_method* method, const void* state, size_t state_bytes,
                         void* buffer, size_t bytes, shrubs_learner** learner);

#ifdef __cplusplus
}
#endif

#endif
