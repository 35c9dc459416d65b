// Package logtest gives tests a logger, and access to what was logged. It imports
// little of stoa, so that the tests of every package may use it.
package logtest

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"

	"stoa/internal/base/reqctx"
)

// New returns a logger whose lines appear in the test's output.
func New(tb testing.TB) *slog.Logger {
	return slog.New(reqctx.LogHandler(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelInfo})))
}

// Buffer keeps what is logged. It is safe for concurrent use.
type Buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String returns what was logged so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Reset forgets what was logged so far.
func (b *Buffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Reset()
}

// Logger returns a logger that writes every line, at every level, into b.
func (b *Buffer) Logger() *slog.Logger {
	return slog.New(reqctx.LogHandler(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})))
}
