package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// operator changes instances of the external plugin, which is told by hooks.
type operator struct {
	*desk

	admin     string
	instances map[string]string // their state as it was answered last, by id
}

// The states of instances.
const (
	on      = "enabled"
	off     = "disabled"
	deleted = "deleted"
)

func newOperator(d *desk, admin string) *operator {
	return &operator{desk: d, admin: admin, instances: make(map[string]string)}
}

func (o *operator) work(ctx context.Context) {
	for ctx.Err() == nil && o.use(o.rng.IntN(4), o.rng.IntN(2) == 0) {
		for range 10 {
			o.rest()
		}
	}
}

// use creates an instance, disables and enables it, and deletes it at last or not. It returns
// false if it is not created.
func (o *operator) use(changes int, remove bool) bool {
	a := o.insist(http.MethodPost, hookedAPI, o.withKey(o.admin),
		map[string]any{"instanceKey": fmt.Sprintf("i%d", len(o.instances))}, http.StatusCreated)
	var made struct {
		Data struct{ InstallationID string }
	}
	if json.Unmarshal(a.body, &made) != nil || made.Data.InstallationID == "" {
		o.t.Error(odd(a))
		return false
	}
	id := made.Data.InstallationID
	o.instances[id] = on
	path := hookedAPI + "/" + id
	for i := range changes {
		o.rest()
		o.insist(http.MethodPatch, path, bearer(o.admin), map[string]any{"enabled": i%2 == 1}, http.StatusOK)
		o.instances[id] = []string{off, on}[i%2]
	}
	if remove {
		o.insist(http.MethodDelete, path, bearer(o.admin), nil, http.StatusOK, http.StatusNoContent, http.StatusNotFound)
		o.instances[id] = deleted
	}
	return true
}

func (o *operator) audit(tb testing.TB) {
	tb.Helper()
	n := o.f.number(tb, `SELECT count(*) FROM plugin_instances WHERE package_slug = 'hooked' AND instance_key <> 'default'`)
	if n != len(o.instances) {
		tb.Errorf("%d instances were created, and there are %d", len(o.instances), n)
	}
	for id, want := range o.instances {
		var now string
		err := o.f.db.QueryRowContext(tb.Context(), `
			SELECT CASE WHEN deleted_at_ms IS NOT NULL THEN 'deleted' WHEN enabled THEN 'enabled' ELSE 'disabled' END
			FROM plugin_instances WHERE id = $1`, id).Scan(&now)
		if err != nil || now != want {
			tb.Errorf("instance %s was %s by the last answer, and now it is %q, %v", id, want, now, err)
		}
	}
	tb.Logf("an operator made %d instances", len(o.instances))
}
