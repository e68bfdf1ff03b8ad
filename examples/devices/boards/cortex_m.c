/* Arm's MPS2 boards with a Cortex-M3 (AN385) or a Cortex-M4 and its floating-point unit (AN386). */

#include "semihosting.h"

static void call_host(uintptr_t operation, const void* argument) {
    register uintptr_t r0 __asm__("r0") = operation;
    register const void* r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

static volatile uint32_t* const systick = (uint32_t*)0xE000E010; /* control, reload, current */

static void reset(void) {
#ifdef __ARM_FP
    *(volatile uint32_t*)0xE000ED88 = 0xFU << 20; /* switch the unit on, */
    __asm__ volatile("dsb; isb");                 /* and wait until it is */
#endif
    systick[1] = 0xFFFFFF;
    systick[0] = 5; /* count the processor's clock, without interrupts */
    run();
}

static void fault(void) {
    board_print("fault\n");
    const uintptr_t ended[] = {ended_by_itself, 1};
    call_host(end_program, ended);
}

__attribute__((section(".vectors"), used)) static const void* const vectors[16] = {
    stack_begin, (const void*)reset, (const void*)fault, (const void*)fault,
    (const void*)fault, (const void*)fault, (const void*)fault};

/* The timer counts 25 MHz of a processor that does an instruction per nanosecond. Its 24 bits need a
 * look every half a billion instructions. */
uint64_t board_instructions(void) {
    static uint32_t before = 0xFFFFFF;
    static uint64_t ticks;
    const uint32_t now = systick[2];
    ticks += (before - now) & 0xFFFFFFU;
    before = now;
    return 40 * ticks;
}
