package tests

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/waittest"
)

// printed keeps what a program prints.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

// String returns all of it.
func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// startGo builds and starts newsletter-go.
func startGo(t *testing.T, address, secret string) *printed {
	t.Helper()
	program := filepath.Join(t.TempDir(), "newsletter-go")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../plugins/newsletter-go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	out := &printed{}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "PORT="+port, "PLUGIN_SECRET="+secret)
	cmd.Stdout, cmd.Stderr = out, t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	waittest.True(t, "the plugin listens", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return out
}

// Both plugins learn who of the staff acts as a user, and keep both ids. The values and events of calls by the user
// name nobody.
func TestPluginsKeepWhoActsAsAUser(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now }) // as the plugin's clock
	root, ada := a.Admin(t, "root"), a.Register(t, "ada")
	started := a.Do(t, testkit.Post(root.Access, "/api/v1/admin/users/"+ada.UserID+"/impersonate", map[string]any{
		"reason": "Ticket 4711: unsubscribe her.", "write": true,
	}))
	acting := started.Text(t, "data.access_token")

	address := porttest.Free(t)
	node := install(t, a, root.Access, "newsletter", nil)
	external := install(t, a, root.Access, "newsletter-go", map[string]any{"externalBaseUrl": "http://" + address})
	secret := a.Do(t, testkit.Get(root.Access, "/api/v1/admin/plugins/newsletter-go/secret")).Text(t, "data.secret")
	out := startGo(t, address, secret)

	for slug, id := range map[string]string{"newsletter": node, "newsletter-go": external} {
		path := "/api/v1/shop/plugins/" + slug + "/api/newsletter"
		set := func(token string, wanted bool) string {
			t.Helper()
			res := a.DoUnchecked(t, testkit.Request{Method: http.MethodPut, Path: path, Token: token, Body: map[string]any{"wanted": wanted}})
			if res.Status != http.StatusOK {
				t.Fatalf("%s: %d %s", slug, res.Status, res.Body)
			}
			return strings.TrimSpace(string(res.Body))
		}
		who := func() string { // as what is stored and published says
			t.Helper()
			var value, event string
			err := a.DB.Conn().Read.QueryRowContext(t.Context(), `
				SELECT COALESCE(p.by_user, '') || '/' || COALESCE(p.by_impersonator, ''),
					(SELECT COALESCE(e.by_user, '') || '/' || COALESCE(e.by_impersonator, '') FROM events e
					WHERE e.type = $1 ORDER BY e.seq DESC LIMIT 1)
				FROM plugin_storage p WHERE p.installation_id = $2`, slug+".set", id).Scan(&value, &event)
			if err != nil || value != event {
				t.Errorf("%s: stored by %s, published by %s, %v", slug, value, event, err)
			}
			return value
		}
		both := fmt.Sprintf(`{"wanted":false,"impersonator":"%s","by":{"userId":"%s","impersonatorId":"%[1]s"}}`, root.UserID, ada.UserID)
		if got := set(acting, false); got != both {
			t.Errorf("%s answers staff %s, want %s", slug, got, both)
		}
		if got, want := who(), ada.UserID+"/"+root.UserID; got != want {
			t.Errorf("%s: by %s, want %s", slug, got, want)
		}
		if got := set(ada.Access, true); got != `{"wanted":true}` {
			t.Errorf("%s answers the user %s", slug, got)
		}
		if got := who(); got != "/" {
			t.Errorf("%s: by %s, want nobody", slug, got)
		}
	}

	want := []string{
		fmt.Sprintf("newsletter of %s set to false by %s", ada.UserID, root.UserID),
		fmt.Sprintf("newsletter of %s set to true by the user", ada.UserID),
	}
	for name, text := range map[string]func() string{
		"newsletter": func() string {
			return string(a.Do(t, testkit.Get(root.Access, "/api/v1/admin/plugins/newsletter/instances/"+node+"/logs")).Body)
		},
		"newsletter-go": out.String,
	} {
		for _, line := range want {
			waittest.True(t, name+" prints: "+line, func() bool { return strings.Contains(text(), line) })
			t.Logf("%s printed: %s", name, line)
		}
	}
}
