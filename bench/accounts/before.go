package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver stoa uses

	"stoa/bench/measure"
)

// comparison measures logins of two builds of stoa in turn, from one connection each: with more, a commit would serve
// several, which it does only where hashes take no time.
type comparison struct {
	before   string // path of the other program
	postgres string // empty: SQLite
}

// browser is the User-Agent header of the logins.
const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"

// ways are how somebody signs in. Mails are on, so the last one is looked for among former sign-ins.
var ways = []struct {
	name    string
	cookies bool
}{{"on a device with a cookie", true}, {"of a program without cookies", false}}

// build is one of the two.
type build struct {
	*measure.Process

	cpu, p50 []float64 // microseconds, one of each a round
}

func (c comparison) run(ctx context.Context, o measure.Options, dir string) error {
	fmt.Println(measure.Machine())
	tab := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tab, "| login\t| CPU µs, now\t| before\t| added\t| p50 µs, now\t| before\t| added\t|")
	fmt.Fprintln(tab, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for i, way := range ways {
		now, before, err := c.measure(ctx, o, filepath.Join(dir, fmt.Sprint(i)), way.cookies)
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		fmt.Fprintf(tab, "| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t|\n", way.name, spread(now.cpu), spread(before.cpu),
			spread(minus(now.cpu, before.cpu)), spread(now.p50), spread(before.p50), spread(minus(now.p50, before.p50)))
	}
	return tab.Flush()
}

// measure has both builds take turns, after a round that nobody counts.
func (c comparison) measure(
	ctx context.Context, o measure.Options, dir string, cookies bool,
) (now, before *build, err error) {
	var both []*build
	var clients []*measure.Client
	for i, program := range []string{o.Stoa, c.before} {
		data := filepath.Join(dir, []string{"now", "before"}[i])
		env, drop, err := c.database(ctx, data)
		if err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, drop()) }()
		p, err := measure.StartStoa(ctx, program, env, "--mail=log", "--ops-addr="+[]string{o.Ops, "off"}[i])
		if err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, p.Stop()) }()
		client, err := signedUp(ctx, p.Addr, cookies)
		if err != nil {
			return nil, nil, err
		}
		defer client.Close()
		both, clients = append(both, &build{Process: p}), append(clients, client)
	}
	for round := range o.Rounds + 1 {
		if round == 1 {
			if err := c.analyze(ctx); err != nil {
				return nil, nil, err
			}
		}
		for turn := range both {
			i := (round + turn) % len(both)
			if err := both[i].round(ctx, clients[i], o.Round, round > 0); err != nil {
				return nil, nil, err
			}
		}
	}
	return both[0], both[1], nil
}

// round signs in again and again for d.
func (b *build) round(ctx context.Context, c *measure.Client, d time.Duration, counts bool) error {
	body := fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password)
	var took []float64
	used := measure.CPUOf(b.PID())
	for begin := time.Now(); time.Since(begin) < d && ctx.Err() == nil; {
		at := time.Now()
		if err := discard(c.Do("POST", "/auth/login", "", body)); err != nil {
			return err
		}
		took = append(took, float64(time.Since(at).Nanoseconds())/1e3)
	}
	if used = measure.CPUOf(b.PID()) - used; counts {
		b.cpu = append(b.cpu, float64(used.Nanoseconds())/1e3/float64(max(len(took), 1)))
		b.p50 = append(b.p50, measure.Median(took))
	}
	return ctx.Err()
}

// analyze has PostgreSQL look at what is in its tables, as it would by itself within a minute.
func (c comparison) analyze(ctx context.Context) (err error) {
	if c.postgres == "" {
		return nil
	}
	db, err := sql.Open("pgx", c.postgres)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `ANALYZE`)
	return err
}

// database returns the environment for a stoa with a database of its own, and what removes that.
func (c comparison) database(ctx context.Context, data string) (env []string, drop func() error, err error) {
	env = []string{"STOA_DATA=" + data}
	if c.postgres == "" {
		return env, func() error { return nil }, nil
	}
	at, drop, err := measure.Schema(ctx, c.postgres, "bench_login_"+filepath.Base(data))
	return append(env, "STOA_DATABASE_URL="+at), drop, err
}

// signedUp returns a client at addr of a user who signed up and in, as a page on stoa's own origin does if it has
// cookies.
func signedUp(ctx context.Context, addr string, cookies bool) (*measure.Client, error) {
	header := "User-Agent: " + browser + "\r\n"
	if cookies {
		header += "Origin: http://localhost\r\nX-Refresh-Token: cookie\r\n"
	}
	given, err := signUpAt(ctx, addr, header)
	if err != nil {
		return nil, err
	}
	if cookies {
		header += "Cookie: " + given + "\r\n"
	}
	c, err := measure.Dial(ctx, addr)
	if err == nil {
		c.Header = header
	}
	return c, err
}

// signUpAt registers the user, and returns the cookies that a browser would send from then on.
func signUpAt(ctx context.Context, addr, header string) (cookies string, err error) {
	body := fmt.Appendf(nil, `{"email":%q,"username":"bench","password":%q}`, email, password)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/auth/register", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("registration answered %s", res.Status)
	}
	var all []string
	for _, one := range res.Cookies() {
		all = append(all, one.Name+"="+one.Value)
	}
	return strings.Join(all, "; "), nil
}

func minus(a, b []float64) (added []float64) {
	for i := range a {
		added = append(added, a[i]-b[i])
	}
	return added
}

// spread is a median, and the lowest and the highest.
func spread(list []float64) string {
	return fmt.Sprintf("%.0f, %.0f to %.0f", measure.Median(list), slices.Min(list), slices.Max(list))
}
