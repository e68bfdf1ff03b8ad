/* What a program needs of a board; boards/ has one file for each kind. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_print(const char* text);
/* Instructions so far; the emulator counts them with -icount shift=0. */
uint64_t board_instructions(void);
/* The most bytes of stack in use so far. */
uint32_t board_stack_bytes(void);

static inline void board_print_number(const char* name, uint64_t value) {
    char digits[21];
    char* at = digits + sizeof digits;
    *--at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    board_print(name);
    board_print(" ");
    board_print(at);
    board_print("\n");
}

#endif
