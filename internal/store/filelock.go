package store

import (
	"os"
	"sync"
)

// fileLock is a lock that at most one process holds, beside the file of a SQLite database. The system
// gives it back when the process ends, however that happens.
type fileLock struct {
	path string // of the database; "" if it is in memory

	mu   sync.Mutex
	held *os.File
}

// open opens the file of the lock, which stays: whoever removed it could remove one that is held.
func (l *fileLock) open() (*os.File, error) {
	return os.OpenFile(l.path+"-live", os.O_RDWR|os.O_CREATE, 0o600)
}

// take takes the lock and reports whether this fileLock has it.
func (l *fileLock) take() (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != nil || l.path == "" {
		return l.held != nil, nil
	}
	f, err := l.open()
	if err != nil {
		return false, err
	}
	if !flock(f) {
		return false, f.Close()
	}
	l.held = f
	return true, nil
}

func (l *fileLock) has() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held != nil
}

// drop gives the lock back, if it is held.
func (l *fileLock) drop() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		return nil
	}
	f := l.held
	l.held = nil
	return f.Close()
}

// isTaken reports whether another process has the lock, or may have it.
func (l *fileLock) isTaken() (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != nil || l.path == "" {
		return false, nil
	}
	f, err := l.open()
	if err != nil {
		return true, nil // a process of another user, say, may have it
	}
	free := flock(f)
	return !free, f.Close()
}
