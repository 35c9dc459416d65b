package node

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa/internal/extension/plugin"
)

// Bounds of the log that is kept for an installation. What a line may be long, and
// how many there may be in a second, is output's.
const (
	journalLines = 1000
	journalBytes = 256 << 10
)

// journal is the log of an installation, bounded: the oldest lines go first. The
// zero value is empty.
type journal struct {
	mu      sync.Mutex
	entries []plugin.LogEntry
	size    int
	last    int64         // number of the last entry
	more    chan struct{} // closed at the next entry; nil while nobody waits
}

func (s *installation) journal() *journal {
	if s.kept != nil {
		return s.kept
	}
	return &s.log
}

func (j *journal) add(e plugin.LogEntry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	// Above every number of an earlier process of stoa, so that whoever reads on
	// after a restart misses nothing.
	j.last = max(j.last+1, e.Time.UnixMicro())
	e.Number = j.last
	j.entries, j.size = append(j.entries, e), j.size+sizeOf(e)
	for len(j.entries) > journalLines || j.size > journalBytes && len(j.entries) > 1 {
		j.size -= sizeOf(j.entries[0])
		j.entries = j.entries[1:] // append copies what is left when it needs room
	}
	if j.more != nil {
		close(j.more)
		j.more = nil
	}
}

func sizeOf(e plugin.LogEntry) int { return len(e.Message) + len(e.Error) + len(e.File) + 128 }

func (j *journal) since(after int64) ([]plugin.LogEntry, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := len(j.entries)
	for i > 0 && j.entries[i-1].Number > after {
		i--
	}
	if j.more == nil {
		j.more = make(chan struct{})
	}
	return append([]plugin.LogEntry{}, j.entries[i:]...), j.more
}

// Logs implements plugin.Processes.
func (rt *Runtime) Logs(installationID string, after int64) ([]plugin.LogEntry, <-chan struct{}) {
	return rt.installation(installationID).journal().since(after)
}

// tee is a slog.Handler that keeps what is logged of an installation, besides
// passing it on.
type tee struct {
	slog.Handler

	journal keeper
}

// keeper keeps entries of a log: a journal, or several.
type keeper interface{ add(e plugin.LogEntry) }

// Enabled implements slog.Handler: debug output of a plugin is kept even where
// stoa's own log has none.
func (t *tee) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelDebug }

// Handle implements slog.Handler.
func (t *tee) Handle(ctx context.Context, r slog.Record) error {
	t.journal.add(entryOf(r))
	if !t.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return t.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (t *tee) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &tee{Handler: t.Handler.WithAttrs(attrs), journal: t.journal}
}

// WithGroup implements slog.Handler.
func (t *tee) WithGroup(name string) slog.Handler {
	return &tee{Handler: t.Handler.WithGroup(name), journal: t.journal}
}

// entryOf reads a record of this package.
func entryOf(r slog.Record) plugin.LogEntry {
	e := plugin.LogEntry{Time: r.Time.UTC(), Level: strings.ToLower(r.Level.String()), Source: "stoa", Message: r.Message}
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	said := r.Message == messagePlugin
	if said {
		e.Source, e.Message = "plugin", ""
	}
	r.Attrs(func(a slog.Attr) bool {
		switch {
		case a.Key == "err":
			e.Error = a.Value.String()
		case a.Key == "file":
			e.File = a.Value.String()
		case a.Key == "line":
			e.Line = int(a.Value.Int64())
		case a.Key == "requestId":
			e.RequestID = a.Value.String()
		case said && a.Key == "text":
			e.Message = a.Value.String()
		case a.Value.Kind() == slog.KindInt64:
			e.Message += " " + a.Key + "=" + strconv.FormatInt(a.Value.Int64(), 10)
		default:
			e.Message += " " + a.Key + "=" + a.Value.String()
		}
		return true
	})
	return e
}
