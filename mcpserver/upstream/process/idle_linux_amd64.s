#include "textflag.h"

// What a supervisor is while nothing happens to its server: see idle_linux.go. This is never
// called; its instructions are copied into a program of their own. It starts as the kernel
// starts one, with argc and argv on the stack, and refers to nothing outside itself.
//
// BX: where argc is. R12: process id of the server. R13: attempts left. R14: room, as follows.
//   0..15 two struct pollfd, 16..143 what a read or waitid gives, 144..159 a struct timespec
TEXT ·idleCode(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ SP, BX
	SUBQ $256, SP
	MOVQ SP, R14
	MOVQ 24(BX), SI      // argv[2]: the process id, in decimal digits
	XORL R12, R12
digits:
	MOVBLZX (SI), AX
	SUBL $0x30, AX
	CMPL AX, $9
	JHI  reap
	IMULL $10, R12
	ADDL AX, R12
	INCQ SI
	JMP  digits

reap:                        // children that have ended; the server is looked at and left
	MOVL $247, AX        // waitid(P_ALL, 0, room+16, WNOHANG|WEXITED|WNOWAIT, 0)
	XORL DI, DI
	XORL SI, SI
	LEAQ 16(R14), DX
	MOVL $0x1000005, R10
	XORL R8, R8
	SYSCALL
	TESTQ AX, AX
	JNE  wake            // there are none any more
	MOVL 32(R14), SI     // si_pid
	TESTL SI, SI
	JEQ  wait
	CMPL SI, R12
	JEQ  wake
	MOVL $247, AX        // waitid(P_PID, pid, 0, WNOHANG|WEXITED, 0)
	MOVL $1, DI
	XORL DX, DX
	MOVL $5, R10
	XORL R8, R8
	SYSCALL
	JMP  reap

wait:
	MOVL $3, 0(R14)      // orders, POLLIN
	MOVL $1, 4(R14)
	MOVL $20, 8(R14)     // signals, POLLIN
	MOVL $1, 12(R14)
	MOVL $271, AX        // ppoll(room, 2, 0, 0, 8)
	MOVQ R14, DI
	MOVL $2, SI
	XORL DX, DX
	XORL R10, R10
	MOVL $8, R8
	SYSCALL
	MOVWLZX 6(R14), AX   // revents of the orders: one has come, or the gateway is gone
	TESTL AX, AX
	JNE  wake
	XORL AX, AX          // read(20, room+16, 128)
	MOVL $20, DI
	LEAQ 16(R14), SI
	MOVL $128, DX
	SYSCALL
	JMP  reap

wake:                        // signals that have come would end our program before it can say otherwise
	XORL AX, AX          // read(20, room+16, 128)
	MOVL $20, DI
	LEAQ 16(R14), SI
	MOVL $128, DX
	SYSCALL
	TESTQ AX, AX
	JGT  wake
	MOVL $50, R13        // become the gateway's program again, with the same arguments
again:
	MOVQ $0, 144(R14)
	MOVQ $0x6000000, DX  // 0.1 s in nanoseconds
	MOVQ DX, 152(R14)
	MOVL $322, AX        // execveat(21, "", argv, envp, AT_EMPTY_PATH)
	MOVL $21, DI
	LEAQ 144(R14), SI
	LEAQ 8(BX), DX
	MOVQ 0(BX), R10
	LEAQ 16(BX)(R10*8), R10
	MOVL $0x1000, R8
	SYSCALL
	MOVL $271, AX        // there was no memory, perhaps: ppoll(0, 0, room+144, 0, 8)
	XORL DI, DI
	XORL SI, SI
	LEAQ 144(R14), DX
	XORL R10, R10
	MOVL $8, R8
	SYSCALL
	DECL R13
	JNE  again
	MOVL $60, AX         // exit(1): the kernel kills the server then
	MOVL $1, DI
	SYSCALL
	QUAD $0x646e6520656c6469 // where it ends; see idleMark

DATA ·idleBegin(SB)/8, $·idleCode(SB)
GLOBL ·idleBegin(SB), RODATA|NOPTR, $8
