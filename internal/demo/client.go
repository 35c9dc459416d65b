package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// errGone says that the thing asked for does not exist.
var errGone = errors.New("demo: not found")

// client calls stoa's public API as the demo administrator.
type client struct {
	http  *http.Client
	url   string
	token string
}

// signIn returns a client with a session of its own.
func (d *Demo) signIn(ctx context.Context) (*client, error) {
	c := &client{http: d.Client, url: d.URL}
	body, err := json.Marshal(map[string]string{"email": AdminEmail, "password": AdminPassword})
	if err != nil {
		return nil, err
	}
	status, data, err := c.call(ctx, http.MethodPost, "/auth/login", "application/json", body)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("cannot sign in as %s: status %d (was its password changed? start with another --data folder)", AdminEmail, status)
	}
	c.token, _ = data["access_token"].(string)
	return c, nil
}

// call sends a request and returns the status and the data of the envelope, or
// its error.
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

// patch changes a thing.
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

// secret returns a plugin's signing secret, or errGone.
func (c *client) secret(ctx context.Context, slug string) (string, error) {
	status, data, err := c.call(ctx, http.MethodGet, "/api/v1/admin/plugins/"+slug+"/secret", "", nil)
	switch {
	case err != nil:
		return "", err
	case status == http.StatusNotFound:
		return "", errGone
	case status != http.StatusOK:
		return "", fmt.Errorf("secret of %s: status %d", slug, status)
	}
	s, _ := data["secret"].(string)
	return s, nil
}
