package takeout

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/background"
	"stoa/internal/base/errs"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
)

const (
	makeEvery  = 2 * time.Second
	makeLimit  = 5 * time.Minute
	sweepEvery = 10 * time.Minute
	// mostAttempts is how often an export is begun before it has failed.
	mostAttempts = 3
	// unclaimed is how long a file without an export stays: its row may be about to be written.
	unclaimed = time.Hour
)

// Tend makes what is asked for, and removes archives whose time is over, until ctx is done. One process at a time is
// enough.
func (s *Service) Tend(ctx context.Context) {
	swept := time.Time{}
	task := background.Task{Every: makeEvery, Limit: makeLimit, Log: s.Log, Failed: "copies of accounts could not be made"}
	task.Run(ctx, func(ctx context.Context) error {
		if time.Since(swept) >= sweepEvery {
			swept = time.Now()
			if err := s.Sweep(ctx); err != nil {
				return err
			}
		}
		_, err := s.MakeDue(ctx)
		return err
	})
}

// MakeDue makes all exports that were asked for, and returns how many.
func (s *Service) MakeDue(ctx context.Context) (made int, err error) {
	for {
		e, ok, err := s.Store.RunningExport(ctx)
		if err != nil || !ok {
			return made, err
		}
		if err := s.make(ctx, e); err != nil && ctx.Err() != nil {
			return made, err // its attempt goes on elsewhere
		} else if err != nil {
			s.Log.WarnContext(ctx, "a copy of an account could not be made", slog.String("export", e.ID), slog.Any("err", err))
			if e.Attempts < mostAttempts {
				return made, nil // later: what it needs may be away
			}
			if err := s.finish(ctx, e, Failed, ""); err != nil {
				return made, err
			}
		}
		made++
	}
}

// make makes an export.
func (s *Service) make(ctx context.Context, e Export) error {
	if e.Attempts > mostAttempts { // it ended processes
		return s.finish(ctx, e, Failed, "")
	}
	archive, err := s.archive(ctx, e.UserID)
	if errs.KindOf(err) == errs.NotFound { // the user was removed meanwhile, and the export with it
		return nil
	} else if err != nil {
		return err
	}
	name, err := s.Files.Put(ctx, []byte(s.Box.Seal(archive, e.ID)), "sealed")
	if err != nil {
		return err
	}
	return s.finish(ctx, e, Ready, name)
}

// archive returns the ZIP archive of a user.
func (s *Service) archive(ctx context.Context, userID string) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	now := s.Now().UTC()
	err := s.Source.Write(ctx, userID, func(name string, content any) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".json", Method: zip.Deflate, Modified: now})
		if err != nil {
			return err
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		if list, ok := content.(List); ok {
			err = encodeList(w, enc, list)
		} else {
			enc.SetIndent("", "  ")
			err = enc.Encode(content)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// encodeList writes a list, one element in a line: what others wrote may be nested so deeply that indenting it would
// multiply it.
func encodeList(w io.Writer, enc *json.Encoder, list List) error {
	before := "["
	for one, err := range list {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		if err := enc.Encode(one); err != nil {
			return err
		}
		before = ","
	}
	if before == "[" {
		before = "[]\n"
	} else {
		before = "]\n"
	}
	_, err := io.WriteString(w, before)
	return err
}

// finish stores the end of an export, and mails the user who asked for it.
func (s *Service) finish(ctx context.Context, e Export, state State, file string) error {
	e.State, e.File, e.FinishedAt = state, file, s.Now().UTC()
	err := mail.InTx(ctx, s.Outbox, s.Store.InTx, func(tx Store, post func(mail.Message) error) error {
		c, err := tx.User(ctx, e.UserID) // before what is the user's
		if err != nil {
			return err
		}
		if err := tx.FinishExport(ctx, e); err != nil {
			return err
		}
		if e.By != "" || state != Ready {
			return nil
		}
		return post(s.letterReady(c.User, e))
	})
	if errs.KindOf(err) == errs.NotFound {
		return nil
	}
	return err
}

// letterReady tells a user that the archive can be downloaded. Its link needs a session: it has no token. Nobody waits
// for a request, so the mail is in the user's language or the shop's.
func (s *Service) letterReady(u account.User, e Export) mail.Message {
	return template.DataReady.Message(u.Email, u.Language, map[string]string{
		template.Email: u.Email, template.Until: template.Moment(e.EndsAt()), template.Link: s.PublicURL + "/account/data",
	})
}

// Sweep removes exports whose time is over, and files that belong to none: of users who were removed, and of
// processes that were killed.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.Store.DeleteExports(ctx, s.Now().Add(-Life)); err != nil {
		return err
	}
	files, err := s.Files.List(ctx) // before the names: what is put meanwhile is not in it
	if err != nil {
		return err
	}
	names, err := s.Store.ExportFiles(ctx)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	for _, f := range files {
		if known[f.Name()] || time.Since(f.ModTime()) < unclaimed { // the clock of files is the real one
			continue
		}
		if err := s.Files.Remove(ctx, f.Name()); err != nil {
			return err
		}
	}
	return nil
}
