package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// errRefused means that the demo administrator's password is not accepted.
var errRefused = errors.New("demo: the administrator cannot sign in")

// client calls stoa's public API as the demo administrator.
type client struct {
	http  *http.Client
	url   string
	token string
}

// signIn returns a client with a new session. It replaces the public password that all demos used
// in the past.
func (d *Demo) signIn(ctx context.Context) (*client, error) {
	c, err := d.signInWith(ctx, d.Admin.Text)
	if !errors.Is(err, errRefused) {
		return c, err
	}
	if c, err = d.signInWith(ctx, publicPassword); err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]string{"currentPassword": publicPassword, "newPassword": d.Admin.Text})
	if err != nil {
		return nil, err
	}
	status, data, err := c.call(ctx, http.MethodPost, "/auth/change-password", "application/json", body)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("replace the public password of %s: status %d: %v", AdminEmail, status, data)
	}
	return c, err
}

func (d *Demo) signInWith(ctx context.Context, password string) (*client, error) {
	c := &client{http: d.Client, url: d.URL}
	body, err := json.Marshal(map[string]string{"email": AdminEmail, "password": password})
	if err != nil {
		return nil, err
	}
	for {
		status, data, err := c.call(ctx, http.MethodPost, "/auth/login", "application/json", body)
		switch {
		case err != nil:
			return nil, err
		case status == http.StatusOK:
			c.token, _ = data["access_token"].(string)
			return c, nil
		case status == http.StatusUnauthorized:
			return nil, errRefused
		case status != http.StatusServiceUnavailable: // which is a machine that is full of other work
			return nil, fmt.Errorf("sign in as %s: status %d", AdminEmail, status)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// call sends a request. It returns the status, and the answer's data or, without data, its error.
func (c *client) call(ctx context.Context, method, path, contentType string, body []byte) (int, map[string]any, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	var answer struct {
		Data  map[string]any `json:"data"`
		Error map[string]any `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer); err != nil {
		return 0, nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if answer.Data == nil {
		return resp.StatusCode, answer.Error, nil
	}
	return resp.StatusCode, answer.Data, nil
}

// patch sends a PATCH. Any status but 200 is an error.
func (c *client) patch(ctx context.Context, path string, change any) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	status, data, err := c.call(ctx, http.MethodPatch, path, "application/json", body)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("PATCH %s: status %d: %v", path, status, data)
	}
	return err
}
