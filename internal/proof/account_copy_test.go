package proof

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
)

const export = "/auth/account/export"

// Somebody with a thousand orders, each with a license that is in use, asks for a copy of the account and downloads it.
// The test prints how long that took: a minute is the target (docs/proof.md).
func TestACopyOfAThousandOrdersIsWhole(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it buys a thousand times")

	onBothEngines(t, func(t *testing.T, c *cluster) {
		orders, p, owner := amount(t, 1000), c.processes[1], c.people(t).owner
		var (
			all  sync.WaitGroup
			made atomic.Int64
		)
		for range buyers {
			all.Go(func() {
				for made.Add(1) <= int64(orders) {
					b, err := p.buy(t.Context(), "seats-1", bearer(owner))
					if err != nil {
						t.Error(err)
						return
					}
					if o, err := p.activate(t.Context(), b.LicenseKey, instance(0)); err != nil || o.verdict != granted {
						t.Errorf("activate = %v, %v", o, err)
						return
					}
				}
			})
		}
		all.Wait()

		began := time.Now()
		s, err := p.send(t.Context(), http.MethodPost, export, owner, nil)
		if err != nil || s.status != http.StatusAccepted {
			t.Fatal(err, odd(s.answer))
		}
		waittest.Until(t, "the copy", func() error {
			s, err := p.send(t.Context(), http.MethodGet, export, owner, nil)
			if err == nil && s.Data.State != "ready" {
				err = odd(s.answer)
			}
			return err
		})
		ready := time.Since(began)
		a, err := p.call(t.Context(), http.MethodGet, export+"/"+s.Data.ID+"/archive", bearer(owner), nil)
		if err != nil || a.status != http.StatusOK {
			t.Fatal(err, a.status)
		}
		t.Logf("%d orders: ready after %v, %d bytes downloaded after %v", orders, ready.Round(time.Millisecond), len(a.body),
			time.Since(began).Round(time.Millisecond))
		for name, key := range map[string]string{"orders": "id", "licenses": "licenseKey", "activations": "instanceId"} {
			list, err := a.unzipped(name)
			if err != nil {
				t.Fatal(err)
			}
			full := 0
			for _, one := range list {
				if text, _ := one[key].(string); text != "" {
					full++
				}
			}
			if full != orders {
				t.Errorf("%s.json has %d with their %s, want %d", name, full, key, orders)
			}
		}
	})
}

// unzipped returns a list of an archive.
func (a answer) unzipped(name string) (list []map[string]any, err error) {
	z, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		return nil, err
	}
	f, err := z.Open(name + ".json")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(json.NewDecoder(f).Decode(&list), f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}
