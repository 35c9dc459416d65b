package store

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
	"stoa/internal/operate/overview"
)

// Overview implements overview.Store.
type Overview struct {
	database.Conn

	amend   func(BackupJob) BackupJob
	plugins *Plugin
}

var _ overview.Store = (*Overview)(nil)

// NewOverview returns the figures of db for administrators. amend adds to the results of backup jobs what the database
// could not record; it may be nil.
func NewOverview(db *database.DB, amend func(BackupJob) BackupJob) *Overview {
	return &Overview{Conn: db.Conn(), amend: amend, plugins: NewPlugin(db)}
}

const hourMillis = 3_600_000

// Sales implements overview.Store.
func (s *Overview) Sales(ctx context.Context, since time.Time) ([]overview.Counted, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (c overview.Counted, err error) {
		var hour int64
		err = row.Scan(&hour, &c.Currency, &c.Count, &c.Minor)
		c.Hour = time.UnixMilli(hour * hourMillis).UTC()
		return c, err
	}, `
		SELECT paid_at_ms / 3600000 AS hour, currency, count(*), CAST(sum(amount_minor) AS BIGINT) FROM orders
		WHERE paid_at_ms >= $1 AND cancelled_at_ms IS NULL
		GROUP BY hour, currency ORDER BY hour, currency`, database.Millis(since))
}

// DemoSales implements overview.Store.
func (s *Overview) DemoSales(ctx context.Context, since time.Time) (has bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM orders WHERE demo AND paid_at_ms >= $1 AND cancelled_at_ms IS NULL)`,
		database.Millis(since)).Scan(&has)
	return has, err
}

// Activations implements overview.Store.
func (s *Overview) Activations(ctx context.Context, since time.Time) ([]overview.Counted, error) {
	return s.counted(ctx, `
		SELECT activated_at_ms / 3600000 AS hour, count(*) FROM license_instances
		WHERE activated_at_ms >= $1 AND NOT development GROUP BY hour ORDER BY hour`, since)
}

// Registrations implements overview.Store.
func (s *Overview) Registrations(ctx context.Context, since time.Time) ([]overview.Counted, error) {
	return s.counted(ctx, `
		SELECT created_at_ms / 3600000 AS hour, count(*) FROM users
		WHERE created_at_ms >= $1 GROUP BY hour ORDER BY hour`, since)
}

func (s *Overview) counted(ctx context.Context, query string, since time.Time) ([]overview.Counted, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (c overview.Counted, err error) {
		var hour int64
		err = row.Scan(&hour, &c.Count)
		c.Hour = time.UnixMilli(hour * hourMillis).UTC()
		return c, err
	}, query, database.Millis(since))
}

// DeadDeliveries implements overview.Store.
func (s *Overview) DeadDeliveries(ctx context.Context, webhooks bool, limit int) ([]overview.Pile, error) {
	if webhooks {
		return s.piles(ctx, `
			SELECT target, count(*), min(created_at_ms) AS first FROM deliveries
			WHERE lane = 'webhooks' AND state = 'dead' GROUP BY target ORDER BY first, target LIMIT $1`, limit)
	}
	return s.piles(ctx, `
		SELECT owner, count(*), min(created_at_ms) AS first FROM deliveries
		WHERE lane = 'plugins' AND state = 'dead' GROUP BY owner ORDER BY first, owner LIMIT $1`, limit)
}

// FailingDeliveries implements overview.Store.
func (s *Overview) FailingDeliveries(ctx context.Context, limit int) ([]overview.Pile, error) {
	return s.piles(ctx, `
		SELECT owner, count(*), min(created_at_ms) AS first FROM deliveries
		WHERE lane = 'plugins' AND state = 'waiting' AND attempts > 0
		GROUP BY owner ORDER BY first, owner LIMIT $1`, limit)
}

func (s *Overview) piles(ctx context.Context, query string, limit int) ([]overview.Pile, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (p overview.Pile, err error) {
		err = row.Scan(&p.Owner, &p.Count, database.ScanMillis(&p.Since))
		return p, err
	}, query, limit)
}

// TroubledWebhooks implements overview.Store.
func (s *Overview) TroubledWebhooks(ctx context.Context, limit int) ([]overview.TroubledWebhook, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (w overview.TroubledWebhook, err error) {
		var (
			address         string
			enabled         bool
			failing, change time.Time
		)
		err = row.Scan(&w.ID, &address, &enabled, &w.Reason, database.ScanMillis(&failing), database.ScanMillis(&change))
		if u, err := url.Parse(address); err == nil {
			w.Host = u.Host // the rest may contain a secret
		}
		w.Disabled, w.Since = !enabled, failing
		if w.Disabled {
			w.Since = change
		}
		return w, err
	}, `
		SELECT id, url, enabled, disabled_reason, failing_since_ms, updated_at_ms FROM webhooks
		WHERE enabled AND failing_since_ms IS NOT NULL OR NOT enabled AND disabled_reason <> ''
		ORDER BY created_at_ms, id LIMIT $1`, limit)
}

// Failures implements overview.Store.
func (s *Overview) Failures(ctx context.Context, since time.Time, limit int) ([]overview.Failure, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (f overview.Failure, err error) {
		var enabled bool
		var manifest string
		err = row.Scan(&f.InstallationID, &f.Slug, &f.Key, &enabled, &manifest, database.ScanMillis(&f.At), &f.Message)
		if err != nil {
			return f, err
		}
		var m struct{ Name, Version string }
		err = json.Unmarshal([]byte(manifest), &m)
		f.Name, f.Version, f.Disabled = m.Name, m.Version, !enabled
		return f, err
	}, `
		SELECT i.id, i.package_slug, i.instance_key, i.enabled, p.manifest_json, f.failed_at_ms, f.message
		FROM plugin_failures f
		JOIN plugin_instances i ON i.id = f.installation_id AND i.version = f.instance_version
		JOIN plugin_packages p ON p.slug = i.package_slug AND p.zip_hash = f.zip_hash
		WHERE f.failed_at_ms >= $1 AND i.deleted_at_ms IS NULL AND p.deleted_at_ms IS NULL
		ORDER BY f.failed_at_ms DESC, i.id LIMIT $2`, database.Millis(since), limit)
}

// FailedReceipts implements overview.Store.
func (s *Overview) FailedReceipts(ctx context.Context, since time.Time) (overview.Pile, error) {
	return s.pile(ctx, `
		SELECT count(*), min(finished_at_ms) FROM (
			SELECT finished_at_ms FROM receipts WHERE state = 'failed' AND finished_at_ms >= $1
			UNION ALL SELECT finished_at_ms FROM refund_notices WHERE state = 'failed' AND finished_at_ms >= $1) failed`,
		database.Millis(since))
}

// Untold implements overview.Store.
func (s *Overview) Untold(ctx context.Context, limit int) (list []overview.Pile, err error) {
	found, err := database.All(ctx, s.Read, s.plugins.scanFound, `
		SELECT `+packageColumns+`, `+instanceColumns+`
		FROM plugin_instances i
		JOIN plugin_packages p ON p.slug = i.package_slug`+licenseJoin+`
		WHERE i.granted LIKE $1 AND i.enabled = $2 AND i.deleted_at_ms IS NULL AND p.deleted_at_ms IS NULL
		ORDER BY i.updated_at_ms, i.id`, `%"`+plugin.PermissionReadUsers+`"%`, true)
	at := make(map[string]int)
	for _, f := range found {
		in := plugin.Installed{Package: f.Package, Instance: f.Instance.Instance}
		if in.Subscribes(event.UserDeleted) || !slices.Contains(in.Permissions(), plugin.PermissionReadUsers) {
			continue
		}
		i, known := at[in.Instance.Slug]
		if !known {
			i, at[in.Instance.Slug] = len(list), len(list)
			list = append(list, overview.Pile{Owner: in.Instance.Slug, Since: in.Instance.UpdatedAt})
		}
		list[i].Count++
	}
	return list[:min(limit, len(list))], err
}

// Undecided implements overview.Store.
func (s *Overview) Undecided(ctx context.Context, limit int) (list []overview.Asking, err error) {
	found, err := database.All(ctx, s.Read, s.plugins.scanFound, `
		SELECT `+packageColumns+`, `+instanceColumns+`
		FROM plugin_instances i
		JOIN plugin_packages p ON p.slug = i.package_slug`+licenseJoin+`
		WHERE i.undecided <> '[]' AND i.deleted_at_ms IS NULL AND p.deleted_at_ms IS NULL
		ORDER BY i.updated_at_ms, i.id`)
	at := make(map[string]int)
	for _, f := range found {
		in := plugin.Installed{Package: f.Package, Instance: f.Instance.Instance}
		asks := in.Undecided()
		if len(asks) == 0 {
			continue
		}
		i, known := at[in.Instance.Slug]
		if !known {
			i, at[in.Instance.Slug] = len(list), len(list)
			list = append(list, overview.Asking{
				Slug: in.Instance.Slug, InstallationID: in.Instance.ID, Permissions: asks, Since: in.Instance.UpdatedAt,
			})
		}
		list[i].Count++
	}
	return list[:min(limit, len(list))], err
}

// WaitingReceipts implements overview.Store.
func (s *Overview) WaitingReceipts(ctx context.Context) (overview.Pile, error) {
	const waits = `WHERE state = 'waiting' AND attempts > 0 AND lease = ''`
	return s.pile(ctx, `SELECT count(*), min(created_at_ms) FROM (
		SELECT created_at_ms FROM receipts `+waits+` UNION ALL SELECT created_at_ms FROM refund_notices `+waits+`) waiting`)
}

// PendingOrders implements overview.Store.
func (s *Overview) PendingOrders(ctx context.Context, before time.Time) (overview.Pile, error) {
	return s.pile(ctx, `
		SELECT count(*), min(created_at_ms) FROM orders WHERE status = 'pending' AND created_at_ms < $1`,
		database.Millis(before))
}

// StaffWithoutFactor implements overview.Store.
func (s *Overview) StaffWithoutFactor(ctx context.Context, passkey bool) (overview.Pile, error) {
	return s.pile(ctx, `
		SELECT count(*), min(u.created_at_ms) FROM users u
		WHERE u.role <> 'USER' AND `+isActive+`
			AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id)
			AND ($1 OR NOT EXISTS (SELECT 1 FROM totp t WHERE t.user_id = u.id AND t.confirmed_at_ms <> 0))`, passkey)
}

// BreachedStaff implements overview.Store.
func (s *Overview) BreachedStaff(ctx context.Context) (overview.Pile, error) {
	return s.pile(ctx, `
		SELECT count(*), min(u.breached_at_ms) FROM users u
		WHERE u.role <> 'USER' AND `+isActive+` AND u.breached_at_ms <> 0`)
}

// FactorResets implements overview.Store.
func (s *Overview) FactorResets(ctx context.Context, since time.Time) (overview.Pile, error) {
	return s.pile(ctx, `SELECT count(*), min(created_at_ms) FROM factor_resets WHERE due_at_ms > $1`,
		database.Millis(since))
}

// ofShop selects the live API keys of the shop and of staff.
const ofShop = ` FROM api_keys k LEFT JOIN users u ON u.id = k.user_id
	WHERE k.revoked_at_ms = 0 AND (k.expires_at_ms IS NULL OR k.expires_at_ms > $1)
		AND (k.user_id IS NULL OR (` + isActive + ` AND u.role <> 'USER'))`

// KeysInNeed implements overview.Store.
func (s *Overview) KeysInNeed(ctx context.Context, now, unused, ending time.Time) (p overview.KeyPiles, err error) {
	const used = `CASE WHEN k.last_used_at_ms > 0 THEN k.last_used_at_ms ELSE k.created_at_ms END`
	at := database.Millis(now)
	p.Unused, err = s.pile(ctx, `SELECT count(*), min(`+used+`)`+ofShop+` AND `+used+` <= $2`, at, database.Millis(unused))
	if err != nil {
		return p, err
	}
	p.Expiring, err = s.pile(ctx, `SELECT count(*), min(k.expires_at_ms)`+ofShop+` AND k.expires_at_ms <= $2`,
		at, database.Millis(ending))
	if err != nil {
		return p, err
	}
	keys, err := database.All(ctx, s.Read, scanListed, listed+`
		WHERE k.user_id IS NULL AND k.revoked_at_ms = 0 AND (k.expires_at_ms IS NULL OR k.expires_at_ms > $1)`, at)
	for _, k := range keys {
		if !k.BeyondCreator() {
			continue
		}
		since := k.SecretSince()
		if p.BeyondCreator.Count++; p.BeyondCreator.Count == 1 || since.Before(p.BeyondCreator.Since) {
			p.BeyondCreator.Since = since
		}
	}
	return p, err
}

func (s *Overview) pile(ctx context.Context, query string, args ...any) (p overview.Pile, err error) {
	err = s.Read.QueryRowContext(ctx, query, args...).Scan(&p.Count, database.ScanMillis(&p.Since))
	return p, err
}

// Backups implements overview.Store.
func (s *Overview) Backups(ctx context.Context) (taken, verified overview.BackupRuns, err error) {
	list, err := (&BackupJobs{s.Conn}).List(ctx)
	for _, j := range list {
		if s.amend != nil {
			j = s.amend(j)
		}
		runs := overview.BackupRuns{OKAt: j.OKAt, FailedAt: j.FailedAt, Error: j.Error}
		if j.Kind == BackupTaken {
			taken = runs
		} else {
			verified = runs
		}
	}
	return taken, verified, err
}
