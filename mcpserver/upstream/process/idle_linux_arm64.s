#include "textflag.h"

// What a supervisor is while nothing happens to its server: see idle_linux.go. This is never
// called; its instructions are copied into a program of their own. It starts as the kernel
// starts one, with argc and argv on the stack, and refers to nothing outside itself.
//
// R19: where argc is. R20: process id of the server. R21: attempts left. R22: room, as follows.
//   0..15 two struct pollfd, 16..143 what a read or waitid gives, 144..159 a struct timespec
TEXT ·idleCode(SB), NOSPLIT|NOFRAME, $0-0
	MOVD RSP, R19
	SUB  $256, RSP
	MOVD RSP, R22
	MOVD 24(R19), R1     // argv[2]: the process id, in decimal digits
	MOVD $0, R20
	MOVD $10, R9
digits:
	MOVBU (R1), R10
	SUB  $0x30, R10, R10
	CMPW $9, R10
	BHI  reap
	MUL  R9, R20, R20
	ADD  R10, R20, R20
	ADD  $1, R1, R1
	B    digits

reap:                        // children that have ended; the server is looked at and left
	MOVD $95, R8         // waitid(P_ALL, 0, room+16, WNOHANG|WEXITED|WNOWAIT, 0)
	MOVD $0, R0
	MOVD $0, R1
	ADD  $16, R22, R2
	MOVD $0x1000000, R3  // in two steps: a longer constant would lie outside the code
	ADD  $5, R3, R3
	MOVD $0, R4
	SVC
	CBNZ R0, wake        // there are none any more
	MOVWU 32(R22), R1    // si_pid
	CBZ  R1, wait
	CMPW R20, R1
	BEQ  wake
	MOVD $95, R8         // waitid(P_PID, pid, 0, WNOHANG|WEXITED, 0)
	MOVD $1, R0
	MOVD $0, R2
	MOVD $5, R3
	MOVD $0, R4
	SVC
	B    reap

wait:
	MOVD $3, R0          // orders, POLLIN
	MOVW R0, 0(R22)
	MOVD $1, R1
	MOVW R1, 4(R22)
	MOVD $20, R0         // signals, POLLIN
	MOVW R0, 8(R22)
	MOVW R1, 12(R22)
	MOVD $73, R8         // ppoll(room, 2, 0, 0, 8)
	MOVD R22, R0
	MOVD $2, R1
	MOVD $0, R2
	MOVD $0, R3
	MOVD $8, R4
	SVC
	MOVHU 6(R22), R0     // revents of the orders: one has come, or the gateway is gone
	CBNZ R0, wake
	MOVD $63, R8         // read(20, room+16, 128)
	MOVD $20, R0
	ADD  $16, R22, R1
	MOVD $128, R2
	SVC
	B    reap

wake:                        // signals that have come would end our program before it can say otherwise
	MOVD $63, R8         // read(20, room+16, 128)
	MOVD $20, R0
	ADD  $16, R22, R1
	MOVD $128, R2
	SVC
	CMP  $0, R0
	BGT  wake
	MOVD $50, R21        // become the gateway's program again, with the same arguments
again:
	MOVD $0, 144(R22)
	MOVD $0x6000000, R0  // 0.1 s in nanoseconds
	MOVD R0, 152(R22)
	MOVD $281, R8        // execveat(21, "", argv, envp, AT_EMPTY_PATH)
	MOVD $21, R0
	ADD  $144, R22, R1
	ADD  $8, R19, R2
	MOVD 0(R19), R3
	ADD  $2, R3, R3
	ADD  R3<<3, R19, R3
	MOVD $0x1000, R4
	SVC
	MOVD $73, R8         // there was no memory, perhaps: ppoll(0, 0, room+144, 0, 8)
	MOVD $0, R0
	MOVD $0, R1
	ADD  $144, R22, R2
	MOVD $0, R3
	MOVD $8, R4
	SVC
	SUBS $1, R21, R21
	BNE  again
	MOVD $93, R8         // exit(1): the kernel kills the server then
	MOVD $1, R0
	SVC
	WORD $0x656c6469     // where it ends; see idleMark
	WORD $0x646e6520

DATA ·idleBegin(SB)/8, $·idleCode(SB)
GLOBL ·idleBegin(SB), RODATA|NOPTR, $8
