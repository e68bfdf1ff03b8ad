"""Microcontrollers in QEMU: compiles a C file for one and runs it, without a library of C."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Device:
    """A processor: how to compile for it, and how to run the result."""

    name: str
    compiler: str
    flags: tuple[str, ...]
    emulator: tuple[str, ...]
    flash: int
    ram: int

    @property
    def missing(self) -> str | None:
        """The program that is not installed, if one is not."""
        programs = (self.compiler, self.emulator[0])
        return next((program for program in programs if shutil.which(program) is None), None)


_ARM = ("qemu-system-arm", "-semihosting", "-machine")
_RISCV = ("-machine", "virt", "-bios", "none", "-kernel")


def _arm(name: str, machine: str, *flags: str) -> Device:
    emulator = (*_ARM, machine, "-kernel")
    return Device(name, "arm-none-eabi-gcc", ("-mthumb", *flags), emulator, 0, 0x20000000)


def _riscv(bits: int, *flags: str) -> Device:
    emulator = (f"qemu-system-riscv{bits}", *_RISCV)
    flags = ("-mcmodel=medany", *flags)
    return Device(flags[1], "riscv64-unknown-elf-gcc", flags, emulator, 0x80000000, 0x80400000)


DEVICES = (
    _arm("Cortex-M3", "mps2-an385", "-mcpu=cortex-m3"),
    _arm("Cortex-M4F", "mps2-an386", "-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    _riscv(32, "-march=rv32imac", "-mabi=ilp32"),
    _riscv(64, "-march=rv64imafdc", "-mabi=lp64d"),
)

# The linker puts code and constants at FLASH and variables at RAM.
_LAYOUT = """\
SECTIONS {
    .text FLASH : { *(.first) *(.text*) *(.rodata*) *(.srodata*) }
    .data RAM : { *(.data*) *(.sdata*) *(.bss*) *(.sbss*) *(COMMON) }
    .rest : { *(.ARM.exidx*) *(.eh_frame*) }
}
"""
_START = r"""
#include <stdint.h>

int main(void);

void *memset(void *to, int value, unsigned long n)
{
    volatile char *at = to;
    while (n-- > 0) {
        *at++ = (char)value;
    }
    return to;
}

void *memcpy(void *to, const void *from, unsigned long n)
{
    volatile char *at = to;
    for (const char *each = from; n-- > 0; ++each) {
        *at++ = *each;
    }
    return to;
}

#if defined(__arm__)
static void host(uint32_t what, const void *with)
{
    register uint32_t r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
static void put(char c) { host(3, &c); }
static void end(void) { host(0x18, (const void *)0x20026); }
void start(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* the FPU, where there is one */
    __asm__ volatile("dsb\n isb");
    main();
    end();
}
__attribute__((section(".first"), used)) static const uintptr_t vectors[] = {
    0x20100000, (uintptr_t)start, (uintptr_t)end, (uintptr_t)end,
};
#else
static void put(char c) { *(volatile uint8_t *)0x10000000 = (uint8_t)c; }
static void end(void) { *(volatile uint32_t *)0x100000 = 0x5555; }
__attribute__((section(".first"), naked, used)) void start(void)
{
    __asm__ volatile("li sp, 0x80800000");
#if defined(__riscv_flen)
    __asm__ volatile(".option arch, +zicsr\n li t0, 0x6000\n csrs mstatus, t0"); /* the FPU */
#endif
    __asm__ volatile("j started");
}
__attribute__((used)) void started(void)
{
    main();
    end();
    for (;;) {
    }
}
#endif

static void put_double(double value)
{
    union {
        double number;
        uint64_t bits;
    } as = {value};
    for (int shift = 60; shift >= 0; shift -= 4) {
        put("0123456789abcdef"[as.bits >> shift & 15]);
    }
    put('\n');
}
"""
_MAIN = """
static const union {{
    uint32_t bits[{n}][{width}];
    float numbers[{n}][{width}];
}} rows = {{{{{rows}}}}};

{declaration}

int main(void)
{{
    for (int i = 0; i < {n}; ++i) {{
        {predict}
    }}
    return 0;
}}
"""


def run(
    device: Device, source: str, X: NDArray[np.float32], n_classes: int | None, folder: Path
) -> NDArray[np.float64]:
    """What the file predicts of each row, ``(n, n_classes)`` or ``(n,)``, on the device."""
    (folder / "model.c").write_text(source)
    (folder / "main.c").write_text(_START + _main(X, n_classes))
    layout = _LAYOUT.replace("FLASH", hex(device.flash)).replace("RAM", hex(device.ram))
    (folder / "layout.ld").write_text(layout)
    program = folder / "program.elf"
    # As a user might who did not read the comment: GNU's C fuses products and sums.
    compile_model = ["-std=gnu99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", "model.c"]
    for options in (
        compile_model,
        ["-std=gnu11", "-c", "main.c"],
        [
            "-nostdlib",
            "-T",
            "layout.ld",
            "-Wl,-e,start",
            "main.o",
            "model.o",
            "-lgcc",
            "-o",
            program,
        ],
    ):
        command = [device.compiler, *device.flags, "-Os", "-ffreestanding", *options]
        subprocess.run(command, cwd=folder, check=True, timeout=120)
    command = [*device.emulator, str(program), "-nographic", "-monitor", "none", "-serial", "stdio"]
    if device.compiler.startswith("arm"):
        command[-1] = "none"
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    lines = (done.stdout + done.stderr).decode().split()
    values = np.array([int(line, 16) for line in lines], dtype=np.uint64).view(np.float64)
    return values if n_classes is None else values.reshape(-1, n_classes)


def _main(X: NDArray[np.float32], n_classes: int | None) -> str:
    rows = X.astype(np.float32).view(np.uint32)
    texts = ", ".join("{" + ", ".join(f"{bits}u" for bits in row) + "}" for row in rows.tolist())
    if n_classes is None:
        declaration = f"double model_predict(const float x[{X.shape[1]}]);"
        predict = "put_double(model_predict(rows.numbers[i]));"
    else:
        declaration = (
            f"void model_predict_proba(const float x[{X.shape[1]}], double p[{n_classes}]);"
        )
        each = f"for (int c = 0; c < {n_classes}; ++c) {{ put_double(p[c]); }}"
        predict = f"double p[{n_classes}]; model_predict_proba(rows.numbers[i], p); {each}"
    n, width = rows.shape
    return _MAIN.format(n=n, width=width, rows=texts, declaration=declaration, predict=predict)
