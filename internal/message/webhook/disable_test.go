package webhook_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/message/webhook"
)

const fiveDays = 5 * 24 * time.Hour

func TestAddressesThatFailAreDisabled(t *testing.T) {
	t.Parallel()

	type attempt struct {
		after  time.Duration
		status int
	}
	for _, tt := range []struct {
		name     string
		attempts []attempt
		reason   string // why it is disabled; empty if it is not
		failing  time.Duration
	}{
		{"410", []attempt{{0, 410}}, "The address answered 410 Gone.", 0},
		{"one failure", []attempt{{time.Hour, 502}}, "", time.Hour},
		{"almost five days", []attempt{{0, 502}, {fiveDays - time.Millisecond, 500}}, "", 0},
		{"five days", []attempt{{0, 502}, {fiveDays, 503}}, "The address failed for five days: answered 503.", 0},
		{"with a success between", []attempt{{0, 502}, {time.Hour, 200}, {fiveDays, 502}}, "", time.Hour + fiveDays},
		{"and works again", []attempt{{0, 502}, {time.Hour, 204}}, "", -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			id, _ := s.create(t, "order.*")
			for _, a := range tt.attempts {
				s.clock.Advance(a.after)
				s.status = a.status
				s.try(t, id)
			}
			w := s.get(t, id)
			if w.Enabled != (tt.reason == "") || w.DisabledReason != tt.reason {
				t.Errorf("enabled %v, reason %q, want %q", w.Enabled, w.DisabledReason, tt.reason)
			}
			if since := opened.Add(tt.failing); tt.failing < 0 && !w.FailingSince.IsZero() ||
				tt.failing >= 0 && !w.FailingSince.Equal(since) {
				t.Errorf("failing since %s, want %s", w.FailingSince, since)
			}
			if mailed := len(s.mails) > 0; mailed != (tt.reason != "") {
				t.Errorf("administrators got %d mails", len(s.mails))
			}
		})
	}
}

// The address may hold a secret: administrators and the audit log get its host only.
func TestAdministratorsAreToldOfADisabledWebhook(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	id, _ := s.create(t, "order.*")
	s.status = http.StatusGone
	s.try(t, id)
	s.try(t, id) // it is disabled: nothing is sent, and no second mail
	if len(s.mails) != 2 || s.mails[0].To != "root@example.com" || s.mails[1].To != "boss@example.com" {
		t.Fatalf("mails = %+v, want one to each administrator", s.mails)
	}
	for i, language := range []string{"", "de"} {
		want := &mail.Draft{Kind: string(template.WebhookDisabled), Language: language, Values: map[string]string{
			template.Webhook: id, template.Host: "erp.example", template.Reason: "The address answered 410 Gone.",
		}}
		if diff := cmp.Diff(want, s.mails[i].Draft); diff != "" {
			t.Errorf("mail %d (-want +got):\n%s", i, diff)
		}
	}
	entries := audited(t, s)
	if got := entries[0]; got.action != "webhook.update" || got.details != `{"enabled":false,"events":["order.*"],"host":"erp.example"}` {
		t.Errorf("audit log = %+v", got)
	}
}

func TestAWebhookThatIsEnabledHasANewStart(t *testing.T) {
	t.Parallel()

	s, on := openShop(t), true
	id, _ := s.create(t, "order.*")
	s.status = http.StatusBadGateway
	s.try(t, id)
	s.clock.Advance(fiveDays)
	s.try(t, id)
	w, err := s.Change(t.Context(), id, webhook.Input{Enabled: &on})
	if err != nil || !w.Enabled || w.DisabledReason != "" || !w.FailingSince.IsZero() {
		t.Errorf("enabled again: %+v, %v", w, err)
	}
	s.try(t, id)
	if w := s.get(t, id); !w.Enabled {
		t.Errorf("disabled after one failure: %+v", w)
	}
	s.clock.Advance(time.Hour)
	if w, err := s.Change(t.Context(), id, webhook.Input{Enabled: &on}); err != nil || w.FailingSince.IsZero() {
		t.Errorf("enabled although it was: %+v, %v", w, err)
	}
}

// entry is one of the audit log.
type entry struct{ action, details string }

// audited returns the audit log, the newest entry first.
func audited(t *testing.T, s *shop) (list []entry) {
	t.Helper()
	rows, err := s.store.Read.QueryContext(t.Context(), `SELECT action, details_json FROM audit_log ORDER BY seq DESC`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var e entry
		var details map[string]any
		if err := rows.Scan(&e.action, &e.details); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(e.details), &details); err != nil {
			t.Fatal(err)
		}
		sorted, _ := json.Marshal(details)
		e.details = string(sorted)
		list = append(list, e)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
