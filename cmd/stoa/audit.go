package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"stoa/internal/app"
	"stoa/internal/trust/audit/export"
)

type auditCmd struct {
	Export auditExportCmd `cmd:"" help:"Write the audit log to standard output as JSON lines, in the order of recording, while stoa runs (docs/monitoring.md)."`
}

type auditExportCmd struct {
	storage

	After int64     `help:"Continue after the entry with this cursor, which the last line of an earlier export names." default:"0" env:"STOA_AUDIT_AFTER" placeholder:"CURSOR"`
	From  time.Time `help:"Only entries from this time on, in RFC 3339." env:"STOA_AUDIT_FROM" placeholder:"TIME"`
	To    time.Time `help:"Only entries before this time, in RFC 3339." env:"STOA_AUDIT_TO" placeholder:"TIME"`
}

// Run exports the audit log.
func (c auditExportCmd) Run(ctx context.Context, std streams) error {
	if c.After < 0 {
		return errors.New("--after must not be negative")
	}
	return c.with(ctx, std, func(a *app.App) error {
		out := bufio.NewWriter(std.out)
		cursor, n, err := export.Write(ctx, a.AuditLog(), export.Selection{After: c.After, From: c.From, To: c.To}, out)
		if err := errors.Join(err, out.Flush()); err != nil {
			return err
		}
		fmt.Fprintf(std.err, "%d entries; continue with --after %d\n", n, cursor)
		return nil
	})
}

// auditStream is the flag that says where the audit log is sent.
type auditStream struct {
	AuditStream string `help:"Send the audit log, entry by entry as JSON lines, to the file at this path or to this https:// address (POST, with STOA_AUDIT_STREAM_TOKEN as bearer token). Of several replicas one sends." env:"STOA_AUDIT_STREAM" placeholder:"FILE|URL"`
}

func (s auditStream) apply(cfg *app.Config) (err error) {
	if s.AuditStream != "" {
		cfg.AuditStream, err = export.Open(s.AuditStream, os.Getenv(envAuditStreamToken))
	}
	return err
}
