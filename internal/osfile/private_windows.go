package osfile

import (
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

func private(name string, _ fs.FileInfo) error {
	trusted, err := trusted()
	if err != nil {
		return err
	}
	found, err := windows.GetNamedSecurityInfo(name, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return &os.PathError{Op: "access list", Path: name, Err: err}
	}
	owner, _, err := found.Owner()
	if err != nil || !trusted(owner) {
		return fmt.Errorf("%s belongs to another user", name)
	}
	list, _, err := found.DACL()
	if err != nil || list == nil { // without a list everybody has access
		return fmt.Errorf("%s has no access list, so others may read it; move it into your profile", name)
	}
	for n := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, n, &entry); err != nil {
			return &os.PathError{Op: "access list", Path: name, Err: err}
		}
		switch entry.Header.AceType {
		case windows.ACCESS_DENIED_ACE_TYPE:
		case windows.ACCESS_ALLOWED_ACE_TYPE:
			if who := (*windows.SID)(unsafe.Pointer(&entry.SidStart)); !trusted(who) {
				return fmt.Errorf("%s can be reached by %s; run icacls %q /inheritance:r /grant:r %%USERNAME%%:F", name, who, name)
			}
		default:
			return fmt.Errorf("%s has an access list with an entry of kind %d, which is not understood", name, entry.Header.AceType)
		}
	}
	return nil
}

// trusted returns who may own and reach our folders.
func trusted() (func(*windows.SID) bool, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, os.NewSyscallError("GetTokenInformation", err)
	}
	sids := []*windows.SID{user.User.Sid}
	for _, kind := range []windows.WELL_KNOWN_SID_TYPE{windows.WinLocalSystemSid, windows.WinBuiltinAdministratorsSid, windows.WinCreatorOwnerSid} {
		sid, err := windows.CreateWellKnownSid(kind)
		if err != nil {
			return nil, os.NewSyscallError("CreateWellKnownSid", err)
		}
		sids = append(sids, sid)
	}
	return func(who *windows.SID) bool {
		for _, sid := range sids {
			if who != nil && sid.Equals(who) {
				return true
			}
		}
		return false
	}, nil
}
