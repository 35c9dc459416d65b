// Command stoa is the accounts, license marketplace and plugin platform in one
// binary.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"stoa/internal/account/password"
)

func main() { stoa(0) }

// stoa carries out the command of this process. start is streams.start.
func stoa(start time.Duration) {
	if slices.Equal(os.Args[1:], []string{password.AsideCommand}) {
		if err := password.ServeAside(); err != nil {
			fmt.Fprintln(os.Stderr, "stoa:", err)
			os.Exit(exitFailed)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for a graceful stop; from then on the next one ends
	// the process at once, as it would any other.
	context.AfterFunc(ctx, stop)
	code := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, start: start}.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// hashes returns this program as one that computes hashes of passwords. It gets none of the settings, and
// so none of the secrets. Of what it prints nothing is kept: a program that breaks down tells what it had.
func hashes() *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	if runtime.GOOS == "linux" {
		self = "/proc/self/exe" // this very program, also when another release has taken the place of its file
	}
	cmd := exec.Command(self, password.AsideCommand) //nolint:gosec,noctx // this program, which password.Aside ends
	cmd.Args[0] = os.Args[0]
	cmd.Env = []string{"GOMAXPROCS=" + strconv.Itoa(runtime.GOMAXPROCS(0))}
	return cmd
}
