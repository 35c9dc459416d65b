package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/message/template"
)

// Templates implements template.Store.
type Templates struct{ audited }

var _ template.Store = (*Templates)(nil)

// NewTemplates returns the templates of db.
func NewTemplates(db *database.DB) *Templates { return &Templates{audited{db.Conn()}} }

// InTx implements template.Store.
func (s *Templates) InTx(ctx context.Context, fn func(template.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Templates{audited{tx}}) })
}

const templateColumns = `SELECT kind, language, subject, body, broken, updated_at_ms FROM mail_templates`

func scanTemplate(row database.Scanner) (t template.Own, err error) {
	err = row.Scan(&t.Kind, &t.Language, &t.Form.Subject, &t.Form.Text, &t.Broken, database.ScanMillis(&t.UpdatedAt))
	return t, err
}

// Templates implements template.Store.
func (s *Templates) Templates(ctx context.Context) ([]template.Own, error) {
	return database.All(ctx, s.Read, scanTemplate, templateColumns+` ORDER BY kind, language`)
}

// Template implements template.Store.
func (s *Templates) Template(ctx context.Context, kind template.Kind, language string) (template.Own, error) {
	t, err := scanTemplate(s.Read.QueryRowContext(ctx, templateColumns+` WHERE kind = $1 AND language = $2`,
		string(kind), language))
	return t, s.Wrap(err, "Template")
}

// PutTemplate implements template.Store.
func (s *Templates) PutTemplate(ctx context.Context, t template.Own) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO mail_templates (kind, language, subject, body, broken, updated_at_ms) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (kind, language) DO UPDATE
		SET subject = excluded.subject, body = excluded.body, broken = excluded.broken,
		updated_at_ms = excluded.updated_at_ms`,
		string(t.Kind), t.Language, t.Form.Subject, t.Form.Text, t.Broken, database.Millis(t.UpdatedAt))
	return err
}

// DeleteTemplate implements template.Store.
func (s *Templates) DeleteTemplate(ctx context.Context, kind template.Kind, language string) error {
	res, err := s.Write.ExecContext(ctx, `DELETE FROM mail_templates WHERE kind = $1 AND language = $2`,
		string(kind), language)
	return database.Affected(res, err, "Template")
}

// MarkBroken implements template.Store.
func (s *Templates) MarkBroken(ctx context.Context, kind template.Kind, language string, updatedAt time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		UPDATE mail_templates SET broken = $1 WHERE kind = $2 AND language = $3 AND updated_at_ms = $4`,
		true, string(kind), language, database.Millis(updatedAt))
	return err
}
