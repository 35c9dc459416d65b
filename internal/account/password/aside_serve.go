package password

import (
	"encoding/gob"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

var errNoOwner = errors.New("stoa serve starts this by itself, to hash passwords: there is nothing to do by hand")

// ServeAside computes the hashes that the Aside of another process asks for on standard input, until that
// one closes it or ends. What asks both processes to end does not end this one before.
func ServeAside() error {
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return errNoOwner
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	lowerPriority()
	from, to := gob.NewDecoder(pollable(os.Stdin)), gob.NewEncoder(os.Stdout)
	var one sync.Mutex // for to
	var all sync.WaitGroup
	defer all.Wait()
	for {
		var w asideWork
		if err := from.Decode(&w); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		all.Go(func() {
			key := derive(w.Password, phc{params: w.Params, salt: w.Salt})
			one.Lock()
			defer one.Unlock()
			_ = to.Encode(asideResult{ID: w.ID, Key: key}) // whoever is gone needs none
		})
	}
}
