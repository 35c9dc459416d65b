package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"stoa/bench/measure"
)

const (
	email    = "root@example.com"
	password = "a long password"
)

// stoa is a process and the token of its administrator.
type stoa struct {
	*measure.Process

	url, token string
}

// market is a stoa that sells plugins, each with a product of its own.
type market struct {
	stoa

	fingerprint string
	products    []string // slugs
}

// startMarket starts a market in dir whose n products carry a signed plugin each.
func startMarket(ctx context.Context, o measure.Options, dir string, n int) (*market, error) {
	data := "--data=" + filepath.Join(dir, "market")
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, o.Stoa, args...) //nolint:gosec // what the command line of the benchmark says
		var out, errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errOut
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("stoa %v: %w (make build makes bin/stoa)\n%s", args, err, &errOut)
		}
		return out.String(), nil
	}
	m := new(market)
	var catalog strings.Builder
	catalog.WriteString("currency: EUR\nproducts:\n")
	for i := range n {
		slug := fmt.Sprintf("plugin-%d", i)
		m.products = append(m.products, slug)
		fmt.Fprintf(&catalog, "- {slug: %s, name: %s, category: other, shortDescription: A., description: A., "+
			"icon: 'https://cdn.example.com/a.svg',\n"+
			"   pricingTiers: [{id: pro, name: Pro, price: 49.90, features: [all]}]}\n", slug, slug)
	}
	file, key := filepath.Join(dir, "catalog.yaml"), filepath.Join(dir, "publisher.pem")
	if err := os.WriteFile(file, []byte(catalog.String()), 0o600); err != nil {
		return nil, err
	}
	var said [4]string
	for i, args := range [][]string{
		{"migrate", data},
		{"market", "init", data, "--root=" + filepath.Join(dir, "root.pem")},
		{"package", "keygen", key},
		{"catalog", "import", data, file},
	} {
		var err error
		if said[i], err = run(args...); err != nil {
			return nil, err
		}
	}
	_, after, _ := strings.Cut(said[1], "fingerprint: ")
	m.fingerprint, _, _ = strings.Cut(after, "\n")
	var err error
	m.stoa, err = startStoa(ctx, o, data, "--market=on", "STOA_TRUSTED_KEYS=bench="+strings.TrimSpace(said[2]))
	if err != nil {
		return nil, err
	}
	for _, slug := range m.products {
		if err := m.publish(ctx, dir, slug, run, key); err != nil {
			return nil, fmt.Errorf("%w, %w", err, m.Stop())
		}
	}
	return m, nil
}

// publish signs a plugin and adds it to the product of its slug.
func (m *market) publish(
	ctx context.Context, dir, slug string, run func(args ...string) (string, error), key string,
) error {
	archive, err := measure.Pack(map[string]string{
		"manifest.json": `{"schemaVersion":1,"slug":"` + slug + `","name":"` + slug + `","version":"1.0.0",` +
			`"runtimeType":"internal-fastify","entryModule":"index.js","permissions":["storage:read"]}`,
		"index.js": `module.exports = async (app) => { app.get('/api/hello', async () => ({ hello: '` + slug + `' })) }`,
	})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, slug+".zip")
	if err := os.WriteFile(file, archive, 0o600); err != nil {
		return err
	}
	if _, err := run("package", "sign", "--key", key, file); err != nil {
		return err
	}
	if archive, err = os.ReadFile(file); err != nil { //nolint:gosec // in the folder of the run
		return err
	}
	_, err = measure.Send(ctx, http.DefaultClient, http.MethodPut, m.url+"/api/v1/admin/products/"+slug+"/package",
		m.token, "application/zip", archive)
	return err
}

// startStoa starts stoa with its data and more flags, or settings of its environment, and signs its
// administrator in.
func startStoa(ctx context.Context, o measure.Options, more ...string) (s stoa, err error) {
	env := []string{"STOA_ADMIN_EMAIL=" + email, "STOA_ADMIN_PASSWORD=" + password}
	flags := []string{"--ops-addr=" + o.Ops}
	for _, one := range more {
		if strings.HasPrefix(one, "--") {
			flags = append(flags, one)
		} else {
			env = append(env, one)
		}
	}
	if s.Process, err = measure.StartStoa(ctx, o.Stoa, env, flags...); err != nil {
		return s, err
	}
	s.url = "http://" + s.Addr
	var tokens struct{ Data struct{ Token string } }
	err = s.post(ctx, "/auth/login", map[string]any{"email": email, "password": password}, &tokens)
	s.token = tokens.Data.Token
	return s, err
}

// post sends JSON and reads the answer into answer.
func (s stoa) post(ctx context.Context, path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	got, err := measure.Send(ctx, http.DefaultClient, http.MethodPost, s.url+path, s.token, "application/json", text)
	if err != nil {
		return err
	}
	return json.Unmarshal(got, answer)
}
