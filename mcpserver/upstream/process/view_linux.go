package process

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// grant is a file or folder that a sandboxed server may use.
type grant struct {
	path     string
	write    bool
	optional bool // it need not exist

	// In the view alone: what is seen at the path, if it is not what is there.
	from string
	kind string // of a new file system, such as proc
}

// systemReads is what programs need to start, resolve names, check certificates and tell
// the time. Nothing of it is secret on any usual system; /etc as a whole is not part of it.
var systemReads = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
	"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies",
	"/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
	"/etc/localtime", "/etc/timezone", "/etc/fonts", "/etc/mime.types",
}

// devices are the device files of a sandbox.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// grants is everything a sandboxed server may use, beside /proc and /dev.
func (o *start) grants() []grant {
	var all []grant
	for _, p := range systemReads {
		all = append(all, grant{path: p, optional: true})
	}
	all = append(all, grant{path: o.Program})
	if real, err := filepath.EvalSymlinks(o.Program); err == nil {
		all = append(all, grant{path: real})
	}
	for _, p := range o.Read {
		all = append(all, grant{path: p})
	}
	for _, p := range o.Write {
		all = append(all, grant{path: p, write: true})
	}
	return all
}

// view makes a root of its own that holds the grants and nothing else: what a server cannot
// name it cannot stat, connect to or guess. The mounts are read-only but for what may
// be written.
func view(o *start) error {
	root := filepath.Join(o.Temp, "root")
	// The file system of the root holds mount points and links only.
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=4m"); err != nil {
		return fmt.Errorf("tmpfs: %w", err)
	}
	all := append(o.grants(), grant{path: "/tmp", write: true, from: o.tmp()}, grant{path: "/proc", kind: "proc"}, grant{path: "/dev/shm", kind: "tmpfs"})
	for _, d := range devices {
		all = append(all, grant{path: d, write: true})
	}
	// A folder comes before what is in it, or its mount would hide that.
	slices.SortStableFunc(all, func(a, b grant) int { return cmp.Compare(len(a.path), len(b.path)) })
	for _, g := range all {
		if err := place(root, g); err != nil {
			return fmt.Errorf("%s: %w", g.path, err)
		}
	}
	for name, target := range map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"} {
		if err := os.Symlink("/proc/self/fd"+target, filepath.Join(root, "dev", name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	return os.Chdir("/")
}

// leave frees the temporary folder of its mounts: what is a mount point cannot be removed.
func leave(o start) {
	if o.View {
		unix.Unmount("/tmp", unix.MNT_DETACH)
	}
}

// mostLinks is how many symbolic links a path may have, as in the kernel.
const mostLinks = 40

// place makes a path appear in the root: the links in it as links, what it leads to as a mount.
func place(root string, g grant) error {
	path := filepath.Clean(g.path)
	for range mostLinks {
		link, target, rest := firstLink(path)
		if link == "" {
			at := filepath.Join(root, path)
			if g.kind != "" {
				return mountNew(g.kind, at)
			}
			err := bind(cmp.Or(g.from, path), at, g.write)
			if g.optional && errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		at := filepath.Join(root, link)
		if _, err := os.Lstat(at); err != nil {
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				return err
			}
			if err := os.Symlink(target, at); err != nil {
				return err
			}
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		path = filepath.Join(target, rest)
	}
	return unix.ELOOP
}

// firstLink finds the first symbolic link on the way to a path.
func firstLink(path string) (link, target, rest string) {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if target, err := os.Readlink(path[:i]); err == nil {
			return path[:i], target, strings.TrimPrefix(path[i:], "/")
		}
	}
	return "", "", ""
}

func bind(from, at string, write bool) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(at); err != nil {
		if err := mountPoint(at, info.IsDir()); err != nil {
			return err
		}
	}
	if err := unix.Mount(from, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !write {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	return unix.MountSetattr(unix.AT_FDCWD, at, unix.AT_RECURSIVE, &attr)
}

func mountPoint(at string, dir bool) error {
	if dir {
		return os.MkdirAll(at, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return os.WriteFile(at, nil, 0o644)
}

// mountNew mounts a file system of the server's own.
func mountNew(kind, at string) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	if kind == "proc" {
		return mountProc(at)
	}
	// 64 MB, as /dev/shm has in other containers: it is memory that no other limit counts.
	return unix.Mount(kind, at, kind, unix.MS_NOSUID|unix.MS_NODEV, "mode=1777,size=64m")
}

func mountProc(at string) error {
	return unix.Mount("proc", at, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}
