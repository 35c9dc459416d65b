package app

import (
	"context"
	"log/slog"

	"stoa/internal/operate/ops"
	"stoa/internal/store"
	"stoa/internal/trust/audit/export"
)

// AuditLog returns the audit log for an export.
func (a *App) AuditLog() export.Log { return store.NewAuditExport(a.DB) }

// streamAudit sends the audit log to the configured destination, if any, in the background.
func (a *App) streamAudit(ctx context.Context, cfg Config) {
	if cfg.AuditStream == nil {
		return
	}
	log := store.NewAuditExport(a.DB)
	a.metrics.WatchAuditStream(func(ctx context.Context) (ops.AuditLag, error) {
		lag, err := log.Lag(ctx, export.StreamName)
		if err != nil {
			cfg.Log.WarnContext(ctx, "cannot read the lag of the audit stream", slog.Any("err", err))
		}
		return ops.AuditLag(lag), err
	})
	stream := &export.Stream{Log: log, Cursors: log, To: cfg.AuditStream, Logger: cfg.Log}
	a.background.Go(func() { stream.Run(ctx) })
}
