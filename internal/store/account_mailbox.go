package store

import (
	"context"
	"fmt"
	"strings"

	"stoa/internal/account/mailbox"
	"stoa/internal/data/database"
)

// FillMailboxes implements account.Users.
func (a *Account) FillMailboxes(ctx context.Context, after string, limit int) (filled int, last string, err error) {
	// The order and the condition are those of the index users_without_mailbox.
	users, err := database.All(ctx, a.Read, func(row database.Scanner) (u [2]string, err error) {
		err = row.Scan(&u[0], &u[1])
		return u, err
	}, `SELECT id, email FROM users WHERE mailbox_key = '' AND id > $1 ORDER BY id LIMIT $2`, after, limit)
	if err != nil || len(users) == 0 {
		return 0, after, err
	}
	var values strings.Builder
	args := make([]any, 0, 3*len(users))
	for i, u := range users {
		if i > 0 {
			values.WriteByte(',')
		}
		fmt.Fprintf(&values, "($%d,$%d,$%d)", 3*i+1, 3*i+2, 3*i+3)
		args = append(args, u[0], u[1], mailbox.Key(u[1]))
	}
	// An address that changed meanwhile waits for the next call.
	_, err = a.Write.ExecContext(ctx, `
		UPDATE users SET mailbox_key = v.column3 FROM (VALUES `+values.String()+`) AS v
		WHERE users.id = v.column1 AND users.email = v.column2 AND users.mailbox_key = ''`, args...)
	return len(users), users[len(users)-1][0], err
}
