package outage_test

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"stoa/internal/base/errs"
	"stoa/internal/data/outage"
	"stoa/internal/testkit/clocktest"
)

func pathError(op string, cause error) error {
	return &fs.PathError{Op: op, Path: "/data/x", Err: cause}
}

func TestEveryCauseHasItsAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		want string // "" if it is no outage
	}{
		"a full disk":                        {pathError("write", syscall.ENOSPC), "STORAGE_FULL"},
		"a quota":                            {pathError("write", syscall.EDQUOT), "STORAGE_FULL"},
		"a read-only file system":            {pathError("open", syscall.EROFS), "STORAGE_FULL"},
		"no descriptor":                      {pathError("open", syscall.EMFILE), "BUSY"},
		"no descriptor on the machine":       {os.NewSyscallError("accept", syscall.ENFILE), "BUSY"},
		"no descriptor for a connection":     {&outage.Lost{Err: os.NewSyscallError("socket", syscall.EMFILE)}, "BUSY"},
		"no namespace for a process":         {pathError("fork/exec", syscall.ENOSPC), ""},
		"a file that is not there":           {pathError("open", syscall.ENOENT), ""},
		"PostgreSQL: its disk is full":       {&pgconn.PgError{Code: "53100"}, "STORAGE_FULL"},
		"PostgreSQL: too many connections":   {&pgconn.PgError{Code: "53300"}, "DATABASE_UNAVAILABLE"},
		"PostgreSQL: read-only":              {&pgconn.PgError{Code: "25006"}, "DATABASE_UNAVAILABLE"},
		"PostgreSQL: it stops":               {&pgconn.PgError{Code: "57P01"}, "DATABASE_UNAVAILABLE"},
		"PostgreSQL: it starts":              {&pgconn.PgError{Code: "57P03"}, "DATABASE_UNAVAILABLE"},
		"PostgreSQL: a statement was halted": {&pgconn.PgError{Code: "57014"}, ""},
		"PostgreSQL: a wrong statement":      {&pgconn.PgError{Code: "42601"}, ""},
		"PostgreSQL: not unique":             {&pgconn.PgError{Code: "23505"}, ""},
		"a connection that broke":            {&outage.Lost{Err: io.ErrUnexpectedEOF}, "DATABASE_UNAVAILABLE"},
		"no connection in time":              {&outage.Lost{Err: context.DeadlineExceeded}, "DATABASE_UNAVAILABLE"},
		"a closed connection":                {driver.ErrBadConn, "DATABASE_UNAVAILABLE"},
		"somebody else's connection":         {io.ErrUnexpectedEOF, ""},
		"a deadline of anything":             {context.DeadlineExceeded, ""},
		"nothing":                            {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tt.err
			if err != nil {
				err = fmt.Errorf("doing something: %w", err)
			}
			e, is := outage.Answer(err)
			if is != (tt.want != "") || is != outage.Is(err) {
				t.Fatalf("%v: an outage: %t", err, is)
			}
			if named := outage.Named(err); !is && named != err { //nolint:errorlint // the very same
				t.Errorf("Named changed %v into %v", err, named)
			}
			if !is {
				return
			}
			if e.Code != tt.want || e.Kind != errs.Busy || e.RetryAfter <= 0 || !errors.Is(e, tt.err) {
				t.Errorf("answer %+v", e)
			}
			if again, is := outage.Answer(e); !is || again.Code != e.Code {
				t.Errorf("an answer is answered %+v", again)
			}
		})
	}
}

// A request that fails is worth a line at debug; the cause is worth one line a minute.
func TestACauseIsLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	clock := clocktest.New(time.Now())
	w := outage.NewWatch()
	w.Now = clock.Now
	var out bytes.Buffer
	log := slog.New(w.Handler(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo}))).With("a", 1)
	full, away := pathError("write", syscall.ENOSPC), &outage.Lost{Err: io.ErrUnexpectedEOF}
	for range 60 {
		log.Info("request failed", slog.Any("err", full))
		log.Warn("work failed", slog.Any("err", away))
		clock.Advance(time.Second - time.Millisecond)
	}
	count := func(want map[string]int) {
		t.Helper()
		for text, n := range want {
			if got := strings.Count(out.String(), text); got != n {
				t.Errorf("%q is logged %d times, want %d", text, got, n)
			}
		}
	}
	count(map[string]int{"503 STORAGE_FULL": 1, "503 DATABASE_UNAVAILABLE": 1, "request failed": 0, "work failed": 0})
	clock.Advance(time.Second)
	log.Warn("work failed", slog.Any("err", full))
	log.Warn("else", slog.Any("err", io.EOF))
	log.Error("backup failed", slog.Any("err", full))
	count(map[string]int{"503 STORAGE_FULL": 2, "work failed": 0, "else": 1, "backup failed": 1})
}

// Writing fails until a write succeeds that is not merely between two that fail.
func TestWritingWorksAgainWhenItHasSettled(t *testing.T) {
	t.Parallel()
	clock := clocktest.New(time.Now())
	w := outage.NewWatch()
	w.Now = clock.Now
	log := slog.New(w.Handler(slog.DiscardHandler))
	if w.Failing() != nil || w.Wrote() || !w.Since().IsZero() {
		t.Error("it fails before anything failed")
	}
	log.Info("request failed", slog.Any("err", pathError("open", syscall.EMFILE)))
	if w.Failing() != nil {
		t.Error("a process without descriptors is no disk without room")
	}
	full, first := pathError("write", syscall.ENOSPC), clock.Now()
	for range 3 {
		log.Info("request failed", slog.Any("err", full))
		clock.Advance(9 * time.Second)
		if w.Wrote() || !errors.Is(w.Failing(), syscall.ENOSPC) || !w.Since().Equal(first) {
			t.Errorf("failing: %v since %v, want since %v", w.Failing(), w.Since(), first)
		}
	}
	clock.Advance(time.Second)
	log.Info("request failed", slog.Any("err", &outage.Lost{Err: io.EOF}))
	if w.Wrote() || w.Failing() == nil {
		t.Error("it works again for one cause, and fails for another")
	}
	clock.Advance(10 * time.Second)
	if !w.Wrote() || w.Failing() != nil || w.Wrote() {
		t.Error("it does not work again, or says so twice")
	}
}
