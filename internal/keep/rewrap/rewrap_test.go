package rewrap_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/keep/rewrap"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
	"stoa/internal/trust/seal"
)

// waitLong is longer than replicas need on any machine.
const waitLong = 5 * time.Minute

// A rewrap that is interrupted again and again, at any moment, ends with all values sealed with
// the new key and nothing lost. Clients of two replicas notice nothing meanwhile.
func TestARewrapThatIsInterruptedAgainAndAgainLosesNothing(t *testing.T) {
	t.Parallel()

	kills, rewraps := needtest.Rounds(10, 200), needtest.Rounds(1, 3) // at least, on each engine
	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		s := newShop(t, options...)
		first := s.key
		was, closed := sealedValues(t, s.replicas[0].DB, s.key)
		for _, table := range rewrap.Tables() {
			for _, c := range table.Columns {
				if was[table.Name+"."+c.Name] == 0 {
					t.Errorf("the test has no value in %s.%s", table.Name, c.Name)
				}
			}
		}
		if len(closed) > 0 {
			t.Fatalf("not sealed as Tables describes: %v", closed)
		}
		was["mails.sealed"] = min(was["mails.sealed"], 1) // the others are sent meanwhile
		stop := s.load(t)
		random, cuts, rounds := rand.New(rand.NewPCG(1, 2)), 0, 0
		for ; cuts < kills || rounds < rewraps; rounds++ {
			next := newKey(t)
			s.next.Store(next)
			for done := false; !done; {
				ctx, cancel := context.WithCancel(t.Context())
				if cuts < kills {
					time.AfterFunc(time.Duration(random.IntN(60_000))*time.Microsecond, cancel)
				}
				result, err := s.run(ctx, next)
				switch cut := ctx.Err() != nil; {
				case err == nil:
					done = true
					if len(result.Unreadable) > 0 || result.New.ID() != next.ID() || result.Sealed < licenses {
						t.Errorf("Run = %+v", result)
					}
				case cut:
					cuts++
				default:
					t.Fatal(err)
				}
				cancel()
			}
			s.key = next
		}
		stop()
		t.Logf("%d rewraps, interrupted %d times", rounds, cuts)
		got, closed := sealedValues(t, s.replicas[0].DB, s.key)
		if len(closed) > 0 {
			t.Errorf("the new key does not open: %v", closed)
		}
		for column, n := range was {
			if got[column] < n {
				t.Errorf("%s has %d values, and had %d", column, got[column], n)
			}
		}
		if opened, _ := sealedValues(t, s.replicas[0].DB, first); len(opened) > 0 {
			t.Errorf("the old key opens: %v", opened)
		}
		s.checkAlone(t, options)
	})
}

// load has clients work with both replicas until the returned function is called.
func (s *shop) load(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for _, a := range s.replicas {
		client := func(work func(n int)) {
			clients.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					work(n)
				}
			})
		}
		client(func(n int) { s.verify(t, a, n) })
		client(func(int) {
			if res := a.Do(t, testkit.SignIn("root@example.com", testkit.Password)); res.Status != http.StatusOK {
				t.Errorf("sign-in = %d %s", res.Status, res.Body)
			}
			s.call(t, a)
		})
		client(func(int) {
			if key := a.BuyKey(t, "", "once"); a.Verify(t, "mail-pack", key, "x.example").Status != http.StatusOK {
				t.Error("a license that was bought during the rewrap is unknown")
			}
			if res := a.Do(t, purchase()); string(res.Body) != s.bought {
				t.Errorf("a repeated purchase = %d %s, want %s", res.Status, res.Body, s.bought)
			}
		})
	}
	return func() { cancel(); clients.Wait() }
}

// verify verifies a license, which must be found whichever key its row is sealed with. Only a
// license that was found can be reported as not activated.
func (s *shop) verify(t *testing.T, a *testkit.App, n int) {
	t.Helper()
	res := a.Verify(t, "mail-pack", s.keys[n%len(s.keys)], "nobody.example")
	if code := res.Header.Get("X-License-Code"); res.Status != http.StatusOK || code == "UNKNOWN_KEY" || code == "" {
		t.Errorf("verify = %d %s with %q", res.Status, res.Body, code)
	}
}

// call calls the plugin, which needs its secret and its config.
func (s *shop) call(t *testing.T, a *testkit.App) {
	t.Helper()
	s.echo.Reached() // the channel has room for a few
	if res := a.Fetch(t, testkit.EchoPath+"/api/x"); res.Status != http.StatusOK {
		t.Errorf("call = %d %s", res.Status, res.Body)
	}
}

// checkAlone checks a new process that knows only the new key.
func (s *shop) checkAlone(t *testing.T, options []testkit.Option) {
	t.Helper()
	alone := func(key *seal.Key) testkit.Option {
		return func(_ testing.TB, cfg *app.Config) {
			cfg.DatabaseURL, cfg.MasterKey = s.url, seal.NewKeys(key)
		}
	}
	a := testkit.New(t, append(options, alone(s.key))...)
	s.checkOpen(t, a)
	cfg := testkit.Config(t, append(options, alone(newKey(t)))...)
	if _, err := app.New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "another master key") {
		t.Errorf("with another key New = %v", err)
	}
}

// checkOpen uses all sealed values.
func (s *shop) checkOpen(t *testing.T, a *testkit.App) {
	t.Helper()
	for n := range s.keys {
		s.verify(t, a, n)
	}
	s.call(t, a)
	if res := a.Do(t, purchase()); string(res.Body) != s.bought {
		t.Errorf("a repeated purchase = %d %s, want %s", res.Status, res.Body, s.bought)
	}
	if res := a.Do(t, onceEach()); !strings.Contains(string(res.Body), "already_used") {
		t.Errorf("a customer's second purchase with a code = %d %s", res.Status, res.Body)
	}
	admin := a.Login(t, "root").Access
	in := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/echo"))
	if !strings.Contains(string(in.Body), "WORD") {
		t.Errorf("the plugin's environment is lost: %s", in.Body)
	}
	theme, err := a.Themes.Active(t.Context(), "shop")
	if err != nil || theme == nil || !strings.Contains(string(theme.Config), "borealis") {
		t.Errorf("active theme = %+v, %v", theme, err)
	}
	before := s.webhook.Load()
	if res := a.Do(t, testkit.Post(admin, "/api/v1/admin/webhooks/"+s.hookID+"/test", nil)); res.Status != http.StatusAccepted {
		t.Errorf("webhook test = %d %s", res.Status, res.Body)
	}
	waittest.True(t, "the webhook", func() bool { return s.webhook.Load() != before })
}

// A rewrap waits for every process to know the new key before it seals anything with it. A process
// that starts later with only the old key is refused.
func TestARewrapWaitsForEveryProcess(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		s := newShop(t, options...)
		next := newKey(t)
		r := s.rewrap(next)
		r.Wait = 0
		if _, err := r.Run(t.Context()); !errors.Is(err, rewrap.ErrNotAll) {
			t.Fatalf("Run = %v, want ErrNotAll", err)
		}
		if opened, _ := sealedValues(t, s.replicas[0].DB, next); len(opened) > 0 {
			t.Errorf("sealed with a key that replicas do not know: %v", opened)
		}
		s.next.Store(next)
		ctx, cancel := context.WithCancel(t.Context())
		r.Wait, r.Settle = waitLong, waitLong
		ended := make(chan error)
		go func() {
			_, err := r.Run(ctx)
			ended <- err
		}()
		waittest.True(t, "the beginning of the rewrap", func() bool {
			_, started, err := store.NewSettings(s.replicas[0].DB).Find(t.Context(), store.SettingRewrap)
			return err == nil && started
		})
		for name, key := range map[string]*seal.Key{"old": s.key, "new": next} {
			cfg := testkit.Config(t, options...)
			cfg.DatabaseURL, cfg.MasterKey = s.url, seal.NewKeys(key)
			if _, err := app.New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "STOA_MASTER_KEY_NEXT") {
				t.Errorf("with the %s key only New = %v, want an error that asks for both", name, err)
			}
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// Every column with "sealed" in its name is in Tables, and every purpose for which the program
// seals or derives is known here.
func TestTablesHasEverySealedColumn(t *testing.T) {
	t.Parallel()

	covered, purposes := make(map[string]bool), make(map[string]bool)
	for _, table := range rewrap.Tables() {
		for _, c := range table.Columns {
			covered[table.Name+"."+c.Name] = true
			purposes[strings.Trim(c.Box, "'")] = true
		}
	}
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		tables, err := dbtest.Open(t, url).Conn().Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			for _, column := range table.Columns {
				if strings.Contains(column, "sealed") && !covered[table.Name+"."+column] {
					t.Errorf("stoa keys rewrap forgets %s.%s: add it to Tables", table.Name, column)
				}
			}
		}
	})
	// What else derives from the master key, and why it may change with the key.
	exempt := map[string]string{
		"account.export":        "copies of accounts live for a week, in no database; another one can be made",
		"theme.visitor":         "lives for five minutes, in no database",
		"account.mailed-code":   "codes live for ten minutes, and both keys are accepted meanwhile",
		"theme.app-token":       "apps with an old token are restarted, and both keys are accepted meanwhile",
		"market.license.lookup": "rehashLicense",
		"idempotency.hash":      "kept, sealed, in a setting",
		"shop.customer.hash":    "kept, sealed, in a setting",
		"master_key_check":      "Rewrap.begin replaces it",
		"master-key.id":         "a name",
	}
	for purpose, at := range purposesInCode(t) {
		if !purposes[purpose] && exempt[purpose] == "" {
			t.Errorf("%s: values for %q are not sealed again by stoa keys rewrap: add their column to Tables", at, purpose)
		}
	}
}

// purposesInCode returns the purposes that the program gives to Box and Derive, and where.
func purposesInCode(t *testing.T) map[string]string {
	t.Helper()
	found, constants, names := make(map[string]string), make(map[string]string), make(map[string]string)
	for _, root := range []string{"../..", "../../../cmd"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ValueSpec:
					for i, id := range n.Names {
						if i < len(n.Values) {
							constants[file.Name.Name+"."+id.Name] = text(n.Values[i])
						}
					}
				case *ast.CallExpr:
					if called, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 {
						arg := n.Args[0]
						switch {
						case called.Sel.Name == "Derive" && len(n.Args) == 3: // seal.Derive(keys, purpose, make)
							arg = n.Args[1]
						case called.Sel.Name != "Box" && called.Sel.Name != "Derive":
							return true
						}
						names[spelled(arg, file.Name.Name)] = set.Position(n.Pos()).String()
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, at := range names {
		if value := constants[name]; value != "" {
			name = value
		}
		found[name] = at
	}
	for _, general := range []string{"seal.purpose", "seal.d.purpose", "rewrap.v.box"} { // the machinery itself
		delete(found, general)
	}
	// The boxes of keyrings: purpose || '.signing-key'.
	delete(found, "app.purpose.Box()")
	if len(found) < 10 {
		t.Fatalf("found only %v", found)
	}
	return found
}

// text returns the value of a string literal.
func text(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		if s, err := strconv.Unquote(lit.Value); err == nil {
			return s
		}
	}
	return ""
}

// spelled returns the value of a string literal, or the name of a constant with its package.
func spelled(e ast.Expr, pkg string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return text(e)
	case *ast.Ident:
		return pkg + "." + e.Name
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok {
			if id.Name == strings.ToLower(id.Name) && ast.IsExported(e.Sel.Name) {
				return id.Name + "." + e.Sel.Name
			}
			return pkg + "." + id.Name + "." + e.Sel.Name
		}
	case *ast.CallExpr:
		if called, ok := e.Fun.(*ast.SelectorExpr); ok {
			if id, ok := called.X.(*ast.Ident); ok {
				return pkg + "." + id.Name + "." + called.Sel.Name + "()"
			}
		}
	}
	return pkg + ".?"
}
