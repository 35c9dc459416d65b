package store

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/invite"
	"stoa/internal/account/mailbox"
	"stoa/internal/data/database"
)

// Invitations implements invite.Store beside the users of an Account.
type Invitations struct{ *Account }

var _ invite.Store = Invitations{}

// InTx implements invite.Store.
func (s Invitations) InTx(ctx context.Context, fn func(invite.Store) error) error {
	inTurn := func(ctx context.Context, fn func(database.Conn) error) error {
		return s.InTurn(ctx, "invitations", fn)
	}
	return s.settled(ctx, inTurn, func(tx *Account) error { return fn(Invitations{tx}) })
}

// In implements invite.Store.
func (s Invitations) In(tx account.Store) invite.Store { return Invitations{tx.(*Account)} }

// CreateInvitation implements invite.Store.
func (s Invitations) CreateInvitation(ctx context.Context, in invite.Invitation) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO invitations (id, email, mailbox_key, role, invited_kind, invited_by, token_hash, printed, created_at_ms,
			expires_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		in.ID, in.Email, mailbox.Key(in.Email), string(in.Role), string(in.Inviter.Kind), in.Inviter.ID, in.Hash, in.Printed,
		database.Millis(in.CreatedAt), database.Millis(in.ExpiresAt))
	return s.Wrap(err, "Invitation")
}

const (
	openInvitations = ` FROM invitations i WHERE i.accepted_at_ms = 0 AND i.revoked_at_ms = 0`

	invitationColumns = `i.id, i.email, i.role, i.invited_kind, i.invited_by,
		COALESCE((SELECT u.username FROM users u WHERE u.id = i.invited_by AND i.invited_kind = 'user'), ''),
		i.token_hash, i.printed, i.created_at_ms, i.expires_at_ms`
)

func scanInvitation(row database.Scanner) (in invite.Invitation, err error) {
	err = row.Scan(&in.ID, &in.Email, &in.Role, &in.Inviter.Kind, &in.Inviter.ID, &in.Inviter.Name, &in.Hash, &in.Printed,
		database.ScanMillis(&in.CreatedAt), database.ScanMillis(&in.ExpiresAt))
	return in, err
}

func (s Invitations) openBy(ctx context.Context, condition, value string) (invite.Invitation, error) {
	in, err := scanInvitation(s.Read.QueryRowContext(ctx,
		`SELECT `+invitationColumns+openInvitations+` AND `+condition+s.Lock("i"), value))
	return in, s.Wrap(err, "Invitation")
}

// HasLink implements invite.Store. Its answer is a row in any case.
func (s Invitations) HasLink(ctx context.Context, hash string, now time.Time) (has bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM mail_tokens WHERE token_hash = $1 AND kind = $2 AND expires_at_ms > $3)`,
		hash, string(account.LinkInvite), database.Millis(now)).Scan(&has)
	return has, err
}

// Invitation implements invite.Store.
func (s Invitations) Invitation(ctx context.Context, id string) (invite.Invitation, error) {
	return s.openBy(ctx, `i.id = $1`, id)
}

// InvitationByLink implements invite.Store.
func (s Invitations) InvitationByLink(ctx context.Context, hash string) (invite.Invitation, error) {
	return s.openBy(ctx, `i.token_hash = $1 AND i.token_hash <> ''`, hash)
}

// InvitationTo implements invite.Store.
func (s Invitations) InvitationTo(ctx context.Context, key string) (invite.Invitation, error) {
	return s.openBy(ctx, `i.mailbox_key = $1`, key)
}

// CloseInvitation implements invite.Store.
func (s Invitations) CloseInvitation(ctx context.Context, id string, how invite.Closing, at time.Time) error {
	column := "revoked_at_ms"
	if how == invite.Accepted {
		column = "accepted_at_ms"
	}
	res, err := s.Write.ExecContext(ctx, `UPDATE invitations SET `+column+` = $1, token_hash = ''
		WHERE id = $2 AND accepted_at_ms = 0 AND revoked_at_ms = 0`, sinceEpoch(at), id)
	return database.Affected(res, err, "Invitation")
}

// ListInvitations implements invite.Store.
func (s Invitations) ListInvitations(ctx context.Context, limit, offset int) ([]invite.Invitation, int, error) {
	var total int
	if err := s.Read.QueryRowContext(ctx, `SELECT count(*)`+openInvitations).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err := database.All(ctx, s.Read, scanInvitation,
		`SELECT `+invitationColumns+openInvitations+` ORDER BY i.created_at_ms DESC, i.id LIMIT $1 OFFSET $2`, limit, offset)
	return list, total, err
}
