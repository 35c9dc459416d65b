package overview_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/operate/overview"
	"stoa/internal/operate/system"
	"stoa/internal/trust/keyring"
)

// concerns returns what wants attention, a line for each: "severity kind count since about: message".
// since is how long ago it began.
func concerns(o overview.Overview) []string {
	var out []string
	for _, c := range o.Attention {
		about := strings.Join(strings.Fields(strings.Join([]string{c.Slug, c.InstallationID, c.WebhookID, c.Purpose}, " ")), " ")
		out = append(out, strings.ReplaceAll(fmt.Sprintf("%s %s %d %s %s: %s", c.Severity, c.Kind, c.Count,
			o.At.Sub(c.Since), about, c.Message), " :", ":"))
	}
	return out
}

func ago(d time.Duration) time.Time { return now.Add(-d) }

const day = 24 * time.Hour

// A concern is the state of a shop with what wants attention then.
type concern struct {
	name string
	shop shop
	want []string
}

func wantConcerns(t *testing.T, tests []concern) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			o := look(t, &tt.shop)
			if diff := cmp.Diff(tt.want, concerns(o)); diff != "" {
				t.Errorf("attention (-want +got):\n%s", diff)
			}
			for what, want := range map[string]time.Time{
				"failures": ago(7 * day), "receipts": ago(7 * day), "resets": ago(7 * day), "orders": ago(time.Hour),
			} {
				if got := tt.shop.asked[what]; !got.Equal(want) {
					t.Errorf("%s: asked for %s, want %s", what, got, want)
				}
			}
		})
	}
}

func TestInstancesThatFailWantAttention(t *testing.T) {
	t.Parallel()

	wantConcerns(t, []concern{
		{"nothing", shop{}, nil},
		{"an instance that does not work", shop{failures: []overview.Failure{
			{InstallationID: "i1", Slug: "pay", Key: "default", Name: "Pay", Version: "1.2.0", At: ago(6 * day), Message: "boom"},
		}}, []string{"error instance.failing 1 144h0m0s pay i1: Pay 1.2.0: boom"}},
		{"an instance that did not start when it was installed", shop{failures: []overview.Failure{{
			InstallationID: "i2", Slug: "pay", Key: "default", Name: "Pay", Version: "1.2.0", At: ago(6 * day),
			Message: "boom", Disabled: true,
		}}}, []string{"error instance.failing 1 144h0m0s pay i2: Pay 1.2.0 does not start, so it is disabled: boom"}},
		{"instances that run again", shop{failures: []overview.Failure{
			{
				InstallationID: "i2", Slug: "pay", Key: "eu", Name: "Pay", Version: "1.2.0",
				At: ago(time.Hour - time.Millisecond), Message: "boom",
			},
			{InstallationID: "i3", Slug: "pay", At: ago(time.Hour), Message: "an hour ago"},
		}}, []string{"warning instance.failed 1 59m59.999s pay i2: Pay 1.2.0 (eu): boom"}},
	})
}

func TestDeliveriesThatFailWantAttention(t *testing.T) {
	t.Parallel()

	wantConcerns(t, []concern{
		{"what plugins do not take", shop{
			dead:    []overview.Pile{{Owner: "pay", Count: 1, Since: ago(time.Hour)}},
			failing: []overview.Pile{{Owner: "mail", Count: 2, Since: ago(time.Minute)}},
			untold:  []overview.Pile{{Owner: "crm", Count: 3, Since: ago(day)}},
		}, []string{
			"error plugin.deliveries_dead 1 1h0m0s pay: Given up: 1 hook or event to pay.",
			"warning plugin.deliveries_failing 2 1m0s mail: Failed, to be tried again: 2 hooks and events to mail.",
			"warning plugin.not_told 3 24h0m0s crm: crm reads users, and does not ask to be told when one is deleted.",
		}},
		{"what plugins ask for and nobody decided", shop{asking: []overview.Asking{
			{Slug: "crm", InstallationID: "i1", Permissions: []string{"users:read"}, Count: 2, Since: ago(day)},
			{Slug: "pay", InstallationID: "i2", Permissions: []string{"a", "b", "c", "d", "e"}, Count: 1, Since: ago(time.Hour)},
		}}, []string{
			"warning plugin.asks_for_more 2 24h0m0s crm i1: crm asks for more, and nobody has decided: users:read.",
			"warning plugin.asks_for_more 1 1h0m0s pay i2: pay asks for more, and nobody has decided: a, b, c and 2 more.",
		}},
		{"webhooks, errors first", shop{
			troubled: []overview.TroubledWebhook{
				{ID: "w1", Host: "a.example", Since: ago(time.Minute)},
				{ID: "w2", Host: "b.example", Since: ago(time.Hour), Disabled: true, Reason: "The address answered 410 Gone."},
			},
			deadWebhooks: []overview.Pile{{Owner: "w3", Count: 3, Since: ago(time.Hour)}},
		}, []string{
			"error webhook.disabled 1 1h0m0s w2: The webhook at b.example was disabled. The address answered 410 Gone.",
			"error webhook.deliveries_dead 3 1h0m0s w3: Given up: 3 events to a webhook.",
			"warning webhook.failing 1 1m0s w1: The webhook at a.example fails.",
		}},
	})
}

func TestReceiptsAndOrdersThatWaitWantAttention(t *testing.T) {
	t.Parallel()

	wantConcerns(t, []concern{
		{"receipts", shop{
			receiptsFailed: overview.Pile{Count: 1, Since: ago(day)}, receiptsDue: overview.Pile{Count: 2, Since: ago(time.Hour)},
		}, []string{
			"error receipts.failed 1 24h0m0s: Not mailed: 1 receipt.",
			"warning receipts.failing 2 1h0m0s: Not mailed yet, to be tried again: 2 receipts.",
		}},
		{"orders", shop{pending: overview.Pile{Count: 2, Since: ago(2 * time.Hour)}}, []string{
			"warning orders.pending 2 2h0m0s: Pending for longer than an hour: 2 orders.",
		}},
	})
}

func TestBackupsThatAreOldOrFailWantAttention(t *testing.T) {
	t.Parallel()

	wantConcerns(t, []concern{
		{"a backup two days old", shop{taken: overview.BackupRuns{OKAt: ago(2 * day), FailedAt: ago(3 * day), Error: "full"}}, nil},
		{"a backup older than two days", shop{taken: overview.BackupRuns{OKAt: ago(2*day + time.Millisecond)}}, []string{
			"error backup.old 1 48h0m0.001s: The last backup is of 27 February 2030, 12:34 UTC.",
		}},
		{"backups that fail", shop{
			taken:    overview.BackupRuns{OKAt: ago(day), FailedAt: ago(time.Hour), Error: "the disk is full"},
			verified: overview.BackupRuns{FailedAt: ago(time.Hour), Error: "a part is missing"},
		}, []string{
			"error backup.failed 1 1h0m0s: The last backup failed: the disk is full",
			"error backup.verify_failed 1 1h0m0s: A backup could not be verified: a part is missing",
		}},
		{"backups that work again", shop{
			taken:    overview.BackupRuns{OKAt: ago(time.Hour), FailedAt: ago(day), Error: "the disk is full"},
			verified: overview.BackupRuns{OKAt: ago(time.Hour), FailedAt: ago(time.Hour), Error: "a part is missing"},
		}, nil},
	})
}

func TestDisksWithLittleRoomWantAttention(t *testing.T) {
	t.Parallel()

	const mib, gib = 1 << 20, 1 << 30
	roomy := system.Space{Place: system.PlaceTemp, Disk: 2, Free: 60 * gib, Size: 100 * gib}
	for _, tt := range []struct {
		name    string
		spaces  []system.Space
		failing system.Failure
		want    []string
	}{
		{"enough room", []system.Space{roomy}, system.Failure{}, nil},
		{"one disk for two places", []system.Space{
			{Place: system.PlaceDatabase, Disk: 1, Free: 400*mib + 9, Size: 10 * gib},
			{Place: system.PlaceFiles, Disk: 1, Free: 400*mib + 9, Size: 10 * gib},
			roomy,
		}, system.Failure{}, []string{
			"warning disk.low 2 0s: The disk with the database and the files has 400 MiB left, 3 %. Make room before nothing can be stored.",
		}},
		{
			"writing fails",
			[]system.Space{{Place: system.PlaceTemp, Disk: 1, Size: gib}},
			system.Failure{At: ago(time.Minute), Message: "the disk is full"},
			[]string{
				"error writing.failing 1 1m0s: stoa cannot store what it should, so purchases, sign-ins and installs are refused: the disk is full.",
				"warning disk.low 1 0s: The disk with the temporary files has 0 MiB left, 0 %. Make room before nothing can be stored.",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			service := &overview.Service{
				Store: &shop{}, Now: func() time.Time { return now },
				Storage: func() ([]system.Space, system.Failure) { return tt.spaces, tt.failing },
			}
			o, err := service.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, concerns(o)); diff != "" {
				t.Errorf("attention (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAdministratorsWithoutASecondFactorWantAttention(t *testing.T) {
	t.Parallel()

	two, one := overview.Pile{Count: 2, Since: ago(day)}, overview.Pile{Count: 1, Since: ago(time.Hour)}
	for _, tt := range []struct {
		name            string
		factor, passkey bool
		shop            shop
		want            []string
	}{
		{"not wanted", false, false, shop{noFactor: two, noPasskey: two}, nil},
		{"a second factor is wanted", true, false, shop{noFactor: one, noPasskey: two}, []string{
			"warning staff.no_second_factor 1 1h0m0s: Without a second factor: 1 member of the staff.",
		}},
		{"a passkey is wanted", true, true, shop{noFactor: one, noPasskey: two}, []string{
			"warning staff.no_second_factor 2 24h0m0s: Without a passkey: 2 members of the staff.",
		}},
		{"all have one", true, false, shop{noPasskey: two}, nil},
	} {
		service := &overview.Service{
			Store: &tt.shop, Now: func() time.Time { return now }, StaffFactor: func() (bool, bool) { return tt.factor, tt.passkey },
		}
		o, err := service.Get(t.Context())
		if diff := cmp.Diff(tt.want, concerns(o)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

func TestPasswordsAndFactorsOfStaffAtRiskAreAConcern(t *testing.T) {
	t.Parallel()

	s := &shop{
		breached: overview.Pile{Count: 2, Since: ago(day)}, resets: overview.Pile{Count: 1, Since: ago(time.Hour)},
	}
	service := &overview.Service{Store: s, Now: func() time.Time { return now }}
	o, err := service.Get(t.Context())
	want := []string{
		"warning staff.breached_password 2 24h0m0s: With a password that attackers try first: 2 members of the staff.",
		"warning factor_resets.pending 1 1h0m0s: Planned: the removal of 1 second factor.",
	}
	if diff := cmp.Diff(want, concerns(o)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got := s.asked["resets"]; !got.Equal(ago(7 * day)) {
		t.Errorf("resets due since %v, which nobody can use any more", got)
	}
}

func TestTheEndOfTheRootOfTheMarketWantsAttention(t *testing.T) {
	t.Parallel()

	ends := now.Add(60 * day)
	for _, tt := range []struct {
		name string
		at   time.Duration // later than now
		m    overview.Market
		want []string
	}{
		{"no market", 0, overview.Market{}, nil},
		{"time enough", -time.Second, overview.Market{RootEndsAt: ends, WarnFrom: now}, nil},
		{"sixty days", 0, overview.Market{RootEndsAt: ends, WarnFrom: now}, []string{
			"warning market.root_ends 1 0s: The root of the market ends on " + ends.Format("2 January 2006") + ". Renew it.",
		}},
		{"a week", 53 * day, overview.Market{RootEndsAt: ends, WarnFrom: now}, []string{
			"error market.root_ends 1 1272h0m0s: The root of the market ends on " + ends.Format("2 January 2006") + ". Renew it.",
		}},
		{"restored", -day, overview.Market{RootEndsAt: ends, WarnFrom: now, Restored: true}, []string{
			"error market.restored 1 0s: The market was restored from a backup. Rotate its keys and renew its root.",
		}},
	} {
		service := &overview.Service{
			Store: &shop{}, Now: func() time.Time { return now.Add(tt.at) },
			Market: func(context.Context) (overview.Market, error) { return tt.m, nil },
		}
		o, err := service.Get(t.Context())
		if diff := cmp.Diff(tt.want, concerns(o)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

// If stoa does not schedule backups, the age of the last one is no concern.
func TestTheAgeOfUnscheduledBackupsIsNoConcern(t *testing.T) {
	t.Parallel()

	s := &shop{taken: overview.BackupRuns{OKAt: ago(1000 * time.Hour)}}
	service := &overview.Service{Store: s, Now: func() time.Time { return now }}
	if o, err := service.Get(t.Context()); err != nil || len(o.Attention) != 0 {
		t.Errorf("attention = %v, %v", o.Attention, err)
	}
}

// key is the only one in a keyring.Store.
type key struct {
	keyring.Store
	keyring.StoredKey
}

func (k key) ListKeys(context.Context, string) ([]keyring.StoredKey, error) {
	return []keyring.StoredKey{k.StoredKey}, nil
}

func TestKeysThatHaveSignedForLong(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		purpose string
		stage   keyring.Stage
		age     time.Duration
		due     bool
	}{
		{"account", keyring.StageCurrent, 100*day - time.Millisecond, false},
		{"account", keyring.StageCurrent, 100 * day, true},
		{"account", keyring.StagePrevious, 200 * day, false},
		{"account", keyring.StageNext, 200 * day, false},
		{"license", keyring.StageCurrent, 400*day - time.Millisecond, false},
		{"license", keyring.StageCurrent, 400 * day, true},
	} {
		ring := &keyring.Ring{
			Store:   key{StoredKey: keyring.StoredKey{Stage: tt.stage, StageSince: ago(tt.age)}},
			Purpose: keyring.Purpose{Name: tt.purpose},
		}
		service := &overview.Service{Store: &shop{}, Now: func() time.Time { return now }, Rings: []*keyring.Ring{ring}}
		o, err := service.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if tt.due {
			want = []string{fmt.Sprintf("warning keys.rotation_due 1 %s %s: The %s key has signed since %s. Rotate it.",
				tt.age, tt.purpose, tt.purpose, ago(tt.age).Format("2 January 2006"))}
		}
		if diff := cmp.Diff(want, concerns(o)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt, diff)
		}
	}
}

func TestAPIKeysWantAttention(t *testing.T) {
	t.Parallel()

	s := &shop{apiKeys: overview.KeyPiles{
		Unused:        overview.Pile{Count: 2, Since: ago(100 * day)},
		Expiring:      overview.Pile{Count: 1, Since: ago(-6 * day)},
		BeyondCreator: overview.Pile{Count: 1, Since: ago(3 * day)},
	}}
	service := &overview.Service{Store: s, Now: func() time.Time { return now }}
	o, err := service.Get(t.Context())
	want := []string{
		"warning api_keys.expiring 1 24h0m0s: Ends within 7 days: 1 API key.",
		"warning api_keys.unused 2 240h0m0s: Unused for 90 days: 2 API keys.",
		"warning api_keys.beyond_creator 1 72h0m0s: Allowed more than whoever made it: 1 API key.",
	}
	if diff := cmp.Diff(want, concerns(o)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if unused, ending := s.asked["keys unused"], s.asked["keys ending"]; !unused.Equal(ago(90*day)) || !ending.Equal(ago(-7*day)) {
		t.Errorf("unused since %v, ending before %v", unused, ending)
	}
}
