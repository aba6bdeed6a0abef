package local

import (
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
)

// peerPID is SIO_AF_UNIX_GETPEERPID of afunix.h: the process that connected, or listens.
const peerPID = 0x58000100

// foreign stands for every user but ours, who is os.Getuid, -1, as Windows has no numbers
// for users.
const foreign = -2

func credentials(fd int) (peer, error) {
	var pid, got uint32
	err := windows.WSAIoctl(windows.Handle(fd), peerPID, nil, 0, (*byte)(unsafe.Pointer(&pid)), uint32(unsafe.Sizeof(pid)), &got, nil, 0)
	if err != nil {
		return peer{}, os.NewSyscallError("SIO_AF_UNIX_GETPEERPID", err)
	}
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return peer{}, os.NewSyscallError("OpenProcess", err)
	}
	defer windows.CloseHandle(process)
	var token windows.Token
	if err := windows.OpenProcessToken(process, windows.TOKEN_QUERY, &token); err != nil {
		return peer{}, os.NewSyscallError("OpenProcessToken", err)
	}
	defer token.Close()
	theirs, err := token.GetTokenUser()
	if err != nil {
		return peer{}, os.NewSyscallError("GetTokenInformation", err)
	}
	ours, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return peer{}, os.NewSyscallError("GetTokenInformation", err)
	}
	if !theirs.User.Sid.Equals(ours.User.Sid) {
		return peer{uid: foreign, pid: int(pid)}, nil
	}
	return peer{uid: os.Getuid(), pid: int(pid)}, nil
}

func processOf(pid int) (process, error) {
	entry, err := entryOf(pid)
	if err != nil {
		return process{}, err
	}
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return process{}, os.NewSyscallError("OpenProcess", err)
	}
	defer windows.CloseHandle(handle)
	var started, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(handle, &started, &exited, &kernel, &user); err != nil {
		return process{}, os.NewSyscallError("GetProcessTimes", err)
	}
	return process{parent: int(entry.ParentProcessID), started: strconv.FormatInt(started.Nanoseconds()/100, 10)}, nil
}

func commandOf(pid int) string {
	entry, err := entryOf(pid)
	if err != nil {
		return ""
	}
	name := windows.UTF16ToString(entry.ExeFile[:])
	return name[:len(name)-len(filepath.Ext(name))]
}

// entryOf finds a process in the list of all.
func entryOf(pid int) (windows.ProcessEntry32, error) {
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	list, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return entry, os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(list)
	for err = windows.Process32First(list, &entry); err == nil; err = windows.Process32Next(list, &entry) {
		if entry.ProcessID == uint32(pid) {
			return entry, nil
		}
	}
	return entry, os.NewSyscallError("Process32Next", err)
}

// boot is empty: the start time of a process is absolute here, and so unique without it.
func boot() string { return "" }
