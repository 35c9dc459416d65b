package federated

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// github returns who GitHub says that the holder of an access token is. GitHub knows people by a number: their names
// there may be taken over by others.
func (c *Client) github(ctx context.Context, access string) (Identity, error) {
	var user struct {
		ID int64 `json:"id"`
	}
	if _, err := c.get(ctx, githubAPI+"/user", access, &user); err != nil {
		return Identity{}, fmt.Errorf("GitHub: %w", err)
	}
	if user.ID <= 0 {
		return Identity{}, errors.New("GitHub: it names nobody")
	}
	var emails []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}
	if _, err := c.get(ctx, githubAPI+"/user/emails", access, &emails); err != nil {
		return Identity{}, fmt.Errorf("GitHub: %w", err)
	}
	id := Identity{Issuer: GitHubIssuer, Subject: strconv.FormatInt(user.ID, 10)}
	for _, e := range emails {
		if e.Primary && e.Verified {
			id.Email, id.Authoritative = e.Email, true
		}
	}
	return id, nil
}
