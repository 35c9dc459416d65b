package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/data/database"
	"stoa/internal/message/webhook"
)

// Webhooks implements webhook.Store.
type Webhooks struct{ audited }

var _ webhook.Store = (*Webhooks)(nil)

// NewWebhooks returns the webhooks of db.
func NewWebhooks(db *database.DB) *Webhooks { return &Webhooks{audited{db.Conn()}} }

// InTx implements webhook.Store.
func (s *Webhooks) InTx(ctx context.Context, fn func(webhook.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Webhooks{audited{tx}}) })
}

const webhookColumns = `w.id, w.url, w.events_json, w.enabled, w.disabled_reason, w.failing_since_ms,
	w.current_sealed, w.previous_sealed, w.previous_until_ms, w.created_at_ms, w.updated_at_ms`

func scanWebhook(row database.Scanner) (w webhook.Webhook, err error) {
	var events string
	err = row.Scan(&w.ID, &w.URL, &events, &w.Enabled, &w.DisabledReason, database.ScanMillis(&w.FailingSince),
		&w.Sealed, &w.PreviousSealed, database.ScanMillis(&w.PreviousUntil),
		database.ScanMillis(&w.CreatedAt), database.ScanMillis(&w.UpdatedAt))
	if err != nil {
		return webhook.Webhook{}, err
	}
	err = json.Unmarshal([]byte(events), &w.Events)
	return w, err
}

// GetWebhook implements webhook.Store.
func (s *Webhooks) GetWebhook(ctx context.Context, id string) (webhook.Webhook, error) {
	w, err := scanWebhook(s.Read.QueryRowContext(ctx,
		`SELECT `+webhookColumns+` FROM webhooks w WHERE w.id = $1`+s.Lock("w"), id))
	return w, s.Wrap(err, "Webhook")
}

// ListWebhooks implements webhook.Store.
func (s *Webhooks) ListWebhooks(ctx context.Context, q webhook.Query) ([]webhook.Webhook, int, error) {
	var where database.Where
	if q.Search != "" {
		where.And(`(lower(w.url) LIKE $1 ESCAPE '~' OR w.id = $2 OR lower(w.events_json) LIKE $1 ESCAPE '~')`,
			database.Like(strings.ToLower(q.Search)), q.Search)
	}
	from := ` FROM webhooks w` + where.String()
	var total int
	if err := s.Read.QueryRowContext(ctx, `SELECT count(*)`+from, where.Args()...).Scan(&total); err != nil {
		return nil, 0, err
	}
	page, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, s.Read, scanWebhook,
		`SELECT `+webhookColumns+from+webhookOrders.by(q.Sort, "created")+page, args...)
	return list, total, err
}

// EnabledWebhooks implements webhook.Store.
func (s *Webhooks) EnabledWebhooks(ctx context.Context) ([]webhook.Webhook, error) {
	return database.All(ctx, s.Read, scanWebhook, `
		SELECT `+webhookColumns+` FROM webhooks w WHERE w.enabled = $1 ORDER BY w.created_at_ms, w.id`, true)
}

// CreateWebhook implements webhook.Store.
func (s *Webhooks) CreateWebhook(ctx context.Context, w webhook.Webhook) error {
	events, err := jsonList(w.Events)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `
		INSERT INTO webhooks (id, url, events_json, enabled, disabled_reason, failing_since_ms,
			current_sealed, previous_sealed, previous_until_ms, created_at_ms, updated_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		w.ID, w.URL, events, w.Enabled, w.DisabledReason, database.Millis(w.FailingSince),
		w.Sealed, w.PreviousSealed, database.Millis(w.PreviousUntil),
		database.Millis(w.CreatedAt), database.Millis(w.UpdatedAt))
	return s.Wrap(err, "Webhook")
}

// UpdateWebhook implements webhook.Store.
func (s *Webhooks) UpdateWebhook(ctx context.Context, w webhook.Webhook) error {
	events, err := jsonList(w.Events)
	if err != nil {
		return err
	}
	res, err := s.Write.ExecContext(ctx, `
		UPDATE webhooks SET url = $1, events_json = $2, enabled = $3, disabled_reason = $4, failing_since_ms = $5,
			current_sealed = $6, previous_sealed = $7, previous_until_ms = $8, updated_at_ms = $9
		WHERE id = $10`,
		w.URL, events, w.Enabled, w.DisabledReason, database.Millis(w.FailingSince),
		w.Sealed, w.PreviousSealed, database.Millis(w.PreviousUntil), database.Millis(w.UpdatedAt), w.ID)
	return database.Affected(res, err, "Webhook")
}

// DeleteWebhook implements webhook.Store.
func (s *Webhooks) DeleteWebhook(ctx context.Context, id string) error {
	res, err := s.Write.ExecContext(ctx, `DELETE FROM webhooks WHERE id = $1`, id)
	return database.Affected(res, err, "Webhook")
}

// EventsSince implements webhook.Store.
func (s *Webhooks) EventsSince(
	ctx context.Context, since time.Time, after int64, limit int,
) ([]event.Event, int64, error) {
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (e event.Event, err error) {
		var data string
		err = row.Scan(&after, &e.ID, &e.Type, database.ScanMillis(&e.OccurredAt), &data)
		e.Data = []byte(data)
		return e, err
	}, `
		SELECT seq, id, type, occurred_at_ms, data_json FROM events
		WHERE occurred_at_ms >= $1 AND seq > $2 AND spread ORDER BY seq LIMIT $3`,
		database.Millis(since), after, limit)
	return list, after, err
}

// WaitingEvents implements webhook.Store.
func (s *Webhooks) WaitingEvents(ctx context.Context, target string) (map[string]bool, error) {
	ids, err := database.Texts(ctx, s.Read,
		`SELECT event_id FROM deliveries WHERE target = $1 AND state = 'waiting'`, target)
	waiting := make(map[string]bool, len(ids))
	for _, id := range ids {
		waiting[id] = true
	}
	return waiting, err
}
