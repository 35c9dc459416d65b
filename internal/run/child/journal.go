package child

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of a Journal. Output bounds the length of a line, and how many there are in a
// second.
const (
	journalLines = 1000
	journalBytes = 256 << 10
)

// PluginSays is the message of the records of what a plugin printed: a Journal
// distinguishes them from what stoa logs about the plugin.
const PluginSays = "plugin says"

// Entry is one line of a Journal.
type Entry struct {
	Number    int64     // counts up, even across restarts of stoa
	Time      time.Time // when stoa received the line
	Level     string    // debug, info, warn or error
	Source    string    // "plugin" for what it printed, "stoa" for what stoa logged about it
	Message   string
	Error     string // a stack, or the message of an error
	File      string // of the package, where an error comes from
	Line      int
	RequestID string
}

// Journal keeps the last lines of a log, of one child after the other. The zero value is
// empty. It is safe for concurrent use.
type Journal struct {
	mu      sync.Mutex
	entries []Entry
	size    int
	last    int64         // number of the last entry
	more    chan struct{} // closed at the next entry; nil while no reader waits
}

// Add adds an entry, gives it its number, and drops the oldest entries beyond the bounds.
func (j *Journal) Add(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	// Above every number of an earlier process of stoa: a reader that goes on after a
	// restart misses nothing.
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

func sizeOf(e Entry) int { return len(e.Message) + len(e.Error) + len(e.File) + 128 }

// Since returns the entries whose number is above after, and a channel that is closed at
// the next entry.
func (j *Journal) Since(after int64) (entries []Entry, more <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := len(j.entries)
	for i > 0 && j.entries[i-1].Number > after {
		i--
	}
	if j.more == nil {
		j.more = make(chan struct{})
	}
	return append([]Entry{}, j.entries[i:]...), j.more
}

// Adder keeps entries of a log: a Journal, or several.
type Adder interface{ Add(e Entry) }

// WithJournal returns a logger that adds every record to a journal, besides writing it
// to log. The journal gets debug output even where log has none.
func WithJournal(log *slog.Logger, journal Adder) *slog.Logger {
	return slog.New(&tee{Handler: log.Handler(), journal: journal})
}

// tee is the handler of a logger with a journal.
type tee struct {
	slog.Handler

	journal Adder
}

// Enabled implements slog.Handler.
func (t *tee) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelDebug }

// Handle implements slog.Handler.
func (t *tee) Handle(ctx context.Context, r slog.Record) error {
	t.journal.Add(entryOf(r))
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

// entryOf returns the entry for a record.
func entryOf(r slog.Record) Entry {
	e := Entry{Time: r.Time.UTC(), Level: strings.ToLower(r.Level.String()), Source: "stoa", Message: r.Message}
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	printed := r.Message == PluginSays
	if printed {
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
		case printed && a.Key == "text":
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
