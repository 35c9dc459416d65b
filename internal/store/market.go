package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/market/origin"
)

// Market implements origin.Store.
type Market struct{ audited }

var _ origin.Store = (*Market)(nil)

// NewMarket returns the market of db.
func NewMarket(db *database.DB) *Market { return &Market{audited{db.Conn()}} }

// InTx implements origin.Store.
func (s *Market) InTx(ctx context.Context, fn func(origin.Store) error) error {
	return s.InTurn(ctx, "market_metadata", func(tx database.Conn) error { return fn(&Market{audited{tx}}) })
}

// Mark implements origin.Store.
func (s *Market) Mark(ctx context.Context) (m origin.Mark, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT g.number, (SELECT COALESCE(MAX(m.version), 0) FROM market_metadata m WHERE m.role = 'root')
		FROM shop_generation g WHERE g.part = 0`).Scan(&m.Changes, &m.Root)
	if err != nil {
		return m, err
	}
	type key struct{ purpose, id, stage string }
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (k key, err error) {
		err = row.Scan(&k.purpose, &k.id, &k.stage)
		return k, err
	}, `SELECT purpose, id, stage FROM signing_keys WHERE purpose IN ('license', $1) ORDER BY purpose, id`,
		origin.KeyPurpose.Name)
	var text strings.Builder
	for _, k := range list {
		if k.purpose == origin.KeyPurpose.Name && k.stage == "current" {
			m.Signer = k.id
		}
		text.WriteString(k.purpose + " " + k.id + " " + k.stage + "\n")
	}
	m.Keys = text.String()
	return m, err
}

const headColumns = `role, version, says, key_id, signed_at_ms, expires_at_ms`

func headTargets(h *origin.Head) []any {
	return []any{
		&h.Role, &h.Version, &h.Says, &h.KeyID, database.ScanMillis(&h.SignedAt), database.ScanMillis(&h.ExpiresAt),
	}
}

// Heads implements origin.Store.
func (s *Market) Heads(ctx context.Context) ([]origin.Head, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (h origin.Head, err error) {
		err = row.Scan(headTargets(&h)...)
		return h, err
	}, `SELECT `+headColumns+` FROM market_metadata WHERE replaced_at_ms IS NULL ORDER BY role`)
}

// Metadata implements origin.Store.
func (s *Market) Metadata(ctx context.Context, role string, version int64) (m origin.Signed, err error) {
	which, args := `version = $2`, []any{role, version}
	if version == 0 {
		which, args = `replaced_at_ms IS NULL`, args[:1]
	}
	err = s.Read.QueryRowContext(s.Brief(ctx), `
		SELECT `+headColumns+`, content FROM market_metadata WHERE role = $1 AND `+which, args...,
	).Scan(append(headTargets(&m.Head), &m.Content)...)
	return m, s.Wrap(err, "Metadata")
}

// Put implements origin.Store.
func (s *Market) Put(ctx context.Context, m origin.Signed) error {
	_, err := s.Write.ExecContext(ctx, `
		UPDATE market_metadata SET replaced_at_ms = $1 WHERE role = $2 AND replaced_at_ms IS NULL`,
		database.Millis(m.SignedAt), m.Role)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `
		INSERT INTO market_metadata (role, version, content, says, key_id, signed_at_ms, expires_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		m.Role, m.Version, string(m.Content), m.Says, m.KeyID, database.Millis(m.SignedAt), database.Millis(m.ExpiresAt))
	return s.Wrap(err, "Metadata")
}

// Target implements origin.Store.
func (s *Market) Target(ctx context.Context, name, hash string) (content []byte, err error) {
	err = s.Read.QueryRowContext(s.Brief(ctx),
		`SELECT content FROM market_targets WHERE name = $1 AND hash = $2`, name, hash).Scan(&content)
	return content, s.Wrap(err, "Target")
}

// PutTarget implements origin.Store.
func (s *Market) PutTarget(ctx context.Context, name, hash string, content []byte, at time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		UPDATE market_targets SET replaced_at_ms = $1 WHERE name = $2 AND hash <> $3 AND replaced_at_ms IS NULL`,
		database.Millis(at), name, hash)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `
		INSERT INTO market_targets (name, hash, content) VALUES ($1, $2, $3)
		ON CONFLICT (name, hash) DO UPDATE SET replaced_at_ms = NULL`, name, hash, string(content))
	return err
}

// Sweep implements origin.Store.
func (s *Market) Sweep(ctx context.Context, before time.Time) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM market_metadata WHERE replaced_at_ms < $1 AND role <> 'root'`,
		database.Millis(before))
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `DELETE FROM market_targets WHERE replaced_at_ms < $1`, database.Millis(before))
	return err
}

// Offers implements origin.Store.
func (s *Market) Offers(ctx context.Context) ([]origin.Offer, error) {
	scan := func(row database.Scanner) (o origin.Offer, err error) {
		err = row.Scan(append(releaseTargets(&o.Release), &o.ProductSlug, &o.Paid)...)
		return o, err
	}
	return database.All(ctx, s.Read, scan, `
		SELECT `+releaseColumns+`, p.slug, p.pricing_type <> 'free'
		FROM product_packages r
		JOIN products p ON p.id = r.product_id
		WHERE r.withdrawn_at_ms IS NULL AND r.signer_key <> ''
			AND (p.published = $1 OR EXISTS (SELECT 1 FROM licenses l WHERE l.product_id = p.id))
		ORDER BY p.slug, r.version`, true)
}

// State implements origin.Store.
func (s *Market) State(ctx context.Context) (st origin.State, err error) {
	err = s.Read.QueryRowContext(s.Brief(ctx),
		`SELECT signed, warned, restored_root, restored_key FROM market_state WHERE id = 1`,
	).Scan(&st.Signed, &st.Warned, &st.RestoredRoot, &st.RestoredKey)
	if errors.Is(err, sql.ErrNoRows) {
		return origin.State{}, nil
	}
	return st, err
}

// PutState implements origin.Store.
func (s *Market) PutState(ctx context.Context, st origin.State) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO market_state (id, signed, warned, restored_root, restored_key) VALUES (1, $1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET signed = excluded.signed, warned = excluded.warned,
			restored_root = excluded.restored_root, restored_key = excluded.restored_key`,
		st.Signed, st.Warned, st.RestoredRoot, st.RestoredKey)
	return err
}

// MarkRestored notes in a database that was made of a backup which root and which key the backup brought back. Without
// a market it does nothing.
func MarkRestored(ctx context.Context, db *database.DB) error {
	return NewMarket(db).InTx(ctx, func(tx origin.Store) error {
		mark, err := tx.Mark(ctx)
		if err != nil || mark.Root == 0 {
			return err
		}
		st, err := tx.State(ctx)
		if err != nil {
			return err
		}
		st.RestoredRoot, st.RestoredKey = mark.Root, mark.Signer
		return tx.PutState(ctx, st)
	})
}
