package wire

import "stoa/internal/account"

// User is a user summary (spec A).
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
