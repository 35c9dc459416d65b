package wire

import "stoa/internal/account"

// User is a user summary (contract 2.1).
type User struct {
	ID       string  `json:"id"`
	Email    string  `json:"email"`
	Username string  `json:"username"`
	Role     string  `json:"role"`
	Avatar   *string `json:"avatar"` // null without one
}

// NewUser returns the summary of u.
func NewUser(u account.User) User {
	out := User{ID: u.ID, Email: u.Email, Username: u.Username, Role: string(u.Role)}
	if u.Avatar != "" {
		out.Avatar = &u.Avatar
	}
	return out
}
