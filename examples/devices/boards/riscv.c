/* QEMU's virtual RISC-V board, of 32 bits and without a floating-point unit. */

#include "semihosting.h"

__asm__(".option arch, +zicsr"); /* for the counter of instructions */

static void call_host(uintptr_t operation, const void* argument) {
    register uintptr_t a0 __asm__("a0") = operation;
    register const void* a1 __asm__("a1") = argument;
    /* The instructions around it tell this break from others. They must be in one page. */
    __asm__ volatile(
        ".balign 16\n.option push\n.option norvc\n"
        "slli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
        : "+r"(a0)
        : "r"(a1)
        : "memory");
}

__attribute__((used)) static void begin(void) { run(); }

static void fault(void) {
    board_print("fault\n");
    const uintptr_t ended[] = {ended_by_itself, 1};
    call_host(end_program, ended);
}

__attribute__((aligned(4), used)) static void trapped(void) { fault(); }

__attribute__((naked, section(".start"), used)) void start(void) {
    __asm__ volatile(
        "la t0, trapped\ncsrw mtvec, t0\n"
        "la sp, stack_begin\n"
        "j begin");
}

uint64_t board_instructions(void) {
    uint32_t high;
    uint32_t low;
    uint32_t again;
    do {
        __asm__ volatile("csrr %0, minstreth" : "=r"(high));
        __asm__ volatile("csrr %0, minstret" : "=r"(low));
        __asm__ volatile("csrr %0, minstreth" : "=r"(again));
    } while (high != again);
    return (uint64_t)high << 32 | low;
}
