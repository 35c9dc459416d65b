package child

import (
	"os/exec"
	goruntime "runtime"
	"sync"
)

// forker forks all children from one operating system thread, which lives as long as
// the forker. The kernel sends a child its parent-death signal when the
// thread that forked it ends, and Go may end any other thread at any time.
type forker struct {
	started, ended sync.Once

	jobs chan func()
	quit chan struct{}
}

func newForker() *forker {
	return &forker{jobs: make(chan func()), quit: make(chan struct{})}
}

// start runs cmd.Start on the forker's thread.
func (f *forker) start(cmd *exec.Cmd) error {
	f.started.Do(func() { go f.run() })
	result := make(chan error, 1)
	f.jobs <- func() { result <- cmd.Start() }
	return <-result
}

func (f *forker) run() {
	goruntime.LockOSThread() // never unlocked: the thread ends with this function
	for {
		select {
		case job := <-f.jobs:
			job()
		case <-f.quit:
			return
		}
	}
}

// close ends the thread. All children must have ended.
func (f *forker) close() { f.ended.Do(func() { close(f.quit) }) }
