/* A board without an operating system: printing and ending by semihosting, and a stack that shows how
 * deep it was. Needs `call_host`, and the symbols of the linker script. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>

#include "../board.h"

extern uint32_t data_from[], data_begin[], data_end[], bss_begin[], bss_end[];
extern uint32_t stack_end[], stack_begin[]; /* it grows down, from its begin to its end */

enum { print_text = 0x04, end_program = 0x20, ended_by_itself = 0x20026 };
static const uint32_t untouched = 0xA5A5A5A5;

int main(void);
static void call_host(uintptr_t operation, const void* argument);

/* Memory as C expects it, then the program. Called with an empty stack. */
static void run(void) {
    const uint32_t* from = data_from;
    for (uint32_t* to = data_begin; to < data_end; ++to) {
        *to = *from++;
    }
    for (uint32_t* to = bss_begin; to < bss_end; ++to) {
        *to = 0;
    }
    uint32_t* const top = (uint32_t*)__builtin_frame_address(0) - 16;
    for (uint32_t* to = stack_end; to < top; ++to) {
        *to = untouched;
    }
    const uintptr_t ended[] = {ended_by_itself, (uintptr_t)main()};
    call_host(end_program, ended);
}

void board_print(const char* text) { call_host(print_text, text); }

uint32_t board_stack_bytes(void) {
    const uint32_t* deepest = stack_end;
    while (*deepest == untouched) {
        ++deepest;
    }
    return (uint32_t)((const char*)stack_begin - (const char*)deepest);
}

#endif
