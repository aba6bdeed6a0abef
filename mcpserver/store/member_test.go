package store_test

import (
	"os"
	"os/exec"
	"strings"
)

// memberOf tells this program to run as a member of a cluster.
const memberOf = "GLOVEBOX_TEST_MEMBER" // the arguments of natstest.RunMember

func member(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), memberOf+"="+strings.Join(args, " "))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd
}
