package main

import (
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/smtptest"
)

const receiptCatalog = `
currency: EUR
products:
  - {slug: pack, name: Pack, category: other, shortDescription: Little., description: More., icon: /i.svg, pricingTiers: [{id: pro, name: Pro, price: 9.5}]}
`

// A process is killed while the mail server hesitates. What was sold has its
// receipt all the same, from the process that comes after.
func TestKillNineLosesNoReceipt(t *testing.T) {
	t.Parallel()

	for name, url := range map[string]func(testing.TB) string{"sqlite": nil, "pgx": pgtest.URL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			at := filepath.Join(dir, "stoa.db")
			if url != nil {
				at = url(t)
			}
			env := []string{"STOA_DATABASE_URL=" + at}
			importReceiptCatalog(t, env, dir)

			silent, entered := silentServer(t)
			s := serve(t, env, "--data", dir, "--public-url=http://shop.example.com", "--payments=test",
				"--mail-from=shop@example.com", "--smtp-url=smtp://"+silent)
			keys := make(map[string]string) // by address
			for i := range 8 {              // more than there are couriers
				to := fmt.Sprintf("u%d@example.com", i)
				status, body := do(t, http.MethodPost, s.URL+"/api/marketplace/products/pack/purchase", "",
					fmt.Sprintf(`{"tierId":"pro","paymentMethod":"card","billingInfo":{"email":%q}}`, to))
				if status != http.StatusOK {
					t.Fatalf("purchase = %d %s", status, body)
				}
				keys[to] = regexp.MustCompile(`STOA(-[0-9A-Z]{5}){6}`).FindString(body)
			}
			<-entered
			if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			s.wait(t)
			for to, key := range keys {
				if log := s.Log(); strings.Contains(log, key) || strings.Contains(log, to) {
					t.Errorf("the log holds the key or the address:\n%s", log)
				}
			}
			endLeases(t, name, at)

			server := smtptest.New(t, smtptest.Options{})
			serve(t, env, "--data", dir, "--public-url=http://shop.example.com", "--payments=test",
				"--mail-from=shop@example.com", "--smtp-url="+server.URL(""))
			for range len(keys) {
				m := server.NextMail(t)
				key := keys[m.To[0]]
				delete(keys, m.To[0])
				if key == "" || !strings.Contains(m.Text(t), key) {
					t.Errorf("mail to %v, with the key: %v", m.To, key != "")
				}
			}
			if len(keys) > 0 {
				t.Errorf("no receipt for %v", keys)
			}
		})
	}
}

func importReceiptCatalog(t *testing.T, env []string, dir string) {
	t.Helper()
	file := filepath.Join(dir, "catalog.yaml")
	if err := os.WriteFile(file, []byte(receiptCatalog), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"migrate", "--data", dir}, {"catalog", "import", "--data", dir, file}} {
		cmd := exec.CommandContext(t.Context(), "stoa", args...)
		cmd.Env = append(cmd.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("stoa %v: %v\n%s", args, err, out)
		}
	}
}

// silentServer accepts connections and says nothing. entered has one element
// once somebody connected.
func silentServer(t *testing.T) (address string, entered <-chan struct{}) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan struct{}, 1)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			select {
			case first <- struct{}{}:
			default:
			}
		}
	}()
	t.Cleanup(func() { _ = ln.Close() })
	return ln.Addr().String(), first
}

// endLeases lets the minutes pass that the leases of the dead last.
func endLeases(t *testing.T, driver, at string) {
	t.Helper()
	db, err := sql.Open(driver, at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	res, err := db.ExecContext(t.Context(), `UPDATE receipts SET due_ms = 1 WHERE lease <> ''`)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); n == 0 || err != nil {
		t.Errorf("%d receipts were on their way (%v), want some", n, err)
	}
}
