package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/account/apikey"
	"stoa/internal/account/passkey"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
	"stoa/internal/message/delivery"
	"stoa/internal/message/webhook"
	"stoa/internal/operate/overview"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

func testOverview(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *database.DB){
		"what was sold and activated, by hour": testOverviewSeries,
		"orders that wait for a payment":       testOverviewPending,
		"deliveries and webhooks in trouble":   testOverviewDeliveries,
		"instances that failed":                testOverviewFailures,
		"receipts that were not mailed":        testOverviewReceipts,
		"backups":                              testOverviewBackups,
		"administrators without a factor":      testOverviewStaff,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, shopDB(t, open)) })
	}
}

// same compares what a method of the Store returned with what was expected of it.
func same[T any](t *testing.T, what string, want T) func(got T, err error) {
	return func(got T, err error) {
		t.Helper()
		if diff := cmp.Diff(got, want); diff != "" || err != nil {
			t.Errorf("%s: %v (-got +want):\n%s", what, err, diff)
		}
	}
}

func testOverviewSeries(t *testing.T, db *database.DB) {
	ctx, orders, s := t.Context(), store.NewOrders(db), store.NewOverview(db, nil)
	sell := func(id string, minor int64, currency string, at time.Time, change func(*order.Order)) {
		o := Order(id, "a", "u1", "", at)
		o.Amount.Minor, o.Amount.Currency = minor, currency
		if change != nil {
			change(&o)
		}
		mustOrder(t, orders, o)
	}
	last := T0.Add(time.Hour - time.Millisecond) // of the hour of T0
	sell("before", 9, "EUR", T0.Add(-time.Millisecond), nil)
	sell("o1", 1000, "EUR", T0, nil)
	sell("o2", 500, "EUR", last, func(o *order.Order) { o.RefundedAt = last })
	sell("o3", 7, "JPY", last, nil)
	sell("free", 0, "EUR", T0.Add(time.Hour), nil)
	sell("late", 1, "EUR", T0, func(o *order.Order) { o.CancelledAt = T0 })
	sell("pending", 1, "EUR", T0, func(o *order.Order) { o.PaidAt = time.Time{} })
	same(t, "Sales", []overview.Counted{
		{Hour: T0, Count: 2, Currency: "EUR", Minor: 1500},
		{Hour: T0, Count: 1, Currency: "JPY", Minor: 7},
		{Hour: T0.Add(time.Hour), Count: 1, Currency: "EUR"},
	})(s.Sales(ctx, T0))

	sell("demo", 1, "EUR", T0.Add(time.Hour), func(o *order.Order) { o.Demo, o.CancelledAt = true, T0 })
	same(t, "DemoSales of a cancelled order", false)(s.DemoSales(ctx, T0))
	sell("sample", 1, "EUR", T0.Add(time.Hour), func(o *order.Order) { o.Demo = true })
	same(t, "DemoSales", true)(s.DemoSales(ctx, T0.Add(time.Hour)))
	same(t, "DemoSales since then", false)(s.DemoSales(ctx, T0.Add(2*time.Hour)))

	licenses := store.NewLicenses(db)
	for id, a := range map[string]license.Activation{
		"before": {InstanceID: "x", At: T0.Add(-time.Millisecond)}, "o1": {InstanceID: "x", At: T0},
		"o2": {InstanceID: "x", At: last}, "o3": {InstanceID: "localhost", Development: true, At: T0},
	} {
		if err := licenses.AddActivation(ctx, id, a, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "Activations", []overview.Counted{{Hour: T0, Count: 2}})(s.Activations(ctx, T0))

	users := store.NewAccount(db)
	for id, at := range map[string]time.Time{"u1": T0.Add(-time.Millisecond), "u2": T0, "u3": T0.Add(2 * time.Hour)} {
		c := credentials(id)
		c.CreatedAt = at
		mustCreateUser(t, users, c)
	}
	same(t, "Registrations",
		[]overview.Counted{{Hour: T0, Count: 1}, {Hour: T0.Add(2 * time.Hour), Count: 1}})(s.Registrations(ctx, T0))
}

func testOverviewPending(t *testing.T, db *database.DB) {
	orders, s := store.NewOrders(db), store.NewOverview(db, nil)
	for id, at := range map[string]time.Time{"o1": T0.Add(-time.Hour), "o2": T0.Add(-time.Second), "o3": T0} {
		o := Order(id, "a", "u1", "", at)
		o.PaidAt = time.Time{}
		mustOrder(t, orders, o)
	}
	mustOrder(t, orders, Order("paid", "a", "u1", "", T0.Add(-time.Hour)))
	same(t, "PendingOrders", overview.Pile{Count: 2, Since: T0.Add(-time.Hour)})(s.PendingOrders(t.Context(), T0))
	same(t, "no PendingOrders", overview.Pile{})(s.PendingOrders(t.Context(), T0.Add(-time.Hour)))
}

func testOverviewDeliveries(t *testing.T, db *database.DB) {
	ctx, s := t.Context(), store.NewOverview(db, nil)
	of := func(
		kind delivery.Kind, owner, target string, state delivery.State, attempts int, at time.Time,
	) delivery.Delivery {
		d := delivery.New(at, kind, target, "n")
		d.Owner, d.Payload, d.State, d.Attempts = owner, "{}", state, attempts
		return d
	}
	mustOutbox(t, store.NewDeliveries(db),
		of(delivery.Hook, "p1", "i1", delivery.Dead, 7, T0.Add(time.Second)),
		of(delivery.Event, "p1", "i2", delivery.Dead, 7, T0), of(delivery.Event, "p2", "i3", delivery.Dead, 7, T0.Add(-1)),
		of(delivery.Hook, "p1", "i1", delivery.Waiting, 1, T0), of(delivery.Hook, "p2", "i3", delivery.Waiting, 0, T0),
		of(delivery.Hook, "p1", "i1", delivery.Delivered, 2, T0),
		of(delivery.Webhook, "", "w1", delivery.Dead, 7, T0), of(delivery.Webhook, "", "w1", delivery.Waiting, 3, T0),
	)
	p1, p2 := overview.Pile{Owner: "p1", Count: 2, Since: T0}, overview.Pile{
		Owner: "p2", Count: 1, Since: T0.Add(-1).Truncate(time.Millisecond),
	}
	same(t, "dead of plugins", []overview.Pile{p2, p1})(s.DeadDeliveries(ctx, false, 9))
	same(t, "the oldest dead", []overview.Pile{p2})(s.DeadDeliveries(ctx, false, 1))
	same(t, "dead of webhooks", []overview.Pile{{Owner: "w1", Count: 1, Since: T0}})(s.DeadDeliveries(ctx, true, 9))
	same(t, "failing", []overview.Pile{{Owner: "p1", Count: 1, Since: T0}})(s.FailingDeliveries(ctx, 9))

	hooks := store.NewWebhooks(db)
	for _, w := range []webhook.Webhook{
		{ID: "off", CreatedAt: T0},
		{ID: "well", Enabled: true, CreatedAt: T0},
		{ID: "w1", Enabled: true, FailingSince: T0, CreatedAt: T0},
		{ID: "w2", DisabledReason: "Gone.", UpdatedAt: T0.Add(time.Hour), FailingSince: T0, CreatedAt: T0.Add(time.Second)},
	} {
		if w.UpdatedAt.IsZero() {
			w.UpdatedAt = T0
		}
		w.URL, w.Events = "https://"+w.ID+".example/secret", []string{"a.*"}
		if err := hooks.CreateWebhook(ctx, w); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "TroubledWebhooks", []overview.TroubledWebhook{
		{ID: "w1", Host: "w1.example", Since: T0},
		{ID: "w2", Host: "w2.example", Disabled: true, Reason: "Gone.", Since: T0.Add(time.Hour)},
	})(s.TroubledWebhooks(ctx, 9))
}

func testOverviewFailures(t *testing.T, db *database.DB) {
	ctx, s, plugins := t.Context(), store.NewOverview(db, nil), store.NewPlugin(db)
	off := inst("p1", "i4", "off")
	off.Enabled = false
	now := plugin.Revision{Instance: 1, ZipHash: "hash-p1"}
	err := errors.Join(
		plugins.CreatePackage(ctx, pkg("p1")), plugins.CreateInstance(ctx, inst("p1", "i1", "default")),
		plugins.CreateInstance(ctx, inst("p1", "i2", "two")), plugins.CreateInstance(ctx, inst("p1", "i3", "three")),
		plugins.CreateInstance(ctx, off), plugins.CreateInstance(ctx, inst("p1", "i5", "five")),
		plugins.PutFailure(ctx, "i1", now, plugin.Failure{At: T0, Message: "boom"}),
		plugins.PutFailure(ctx, "i2", now, plugin.Failure{At: T0.Add(time.Second), Message: "bang"}),
		plugins.PutFailure(ctx, "i3", plugin.Revision{Instance: 1, ZipHash: "old"}, plugin.Failure{At: T0, Message: "old"}),
		plugins.PutFailure(ctx, "i4", now, plugin.Failure{At: T0, Message: "off"}),
		plugins.PutFailure(ctx, "i5", now, plugin.Failure{At: T0.Add(-time.Second), Message: "long ago"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []overview.Failure{
		{InstallationID: "i2", Slug: "p1", Key: "two", Name: "N", Version: "1.2.3", At: T0.Add(time.Second), Message: "bang"},
		{InstallationID: "i1", Slug: "p1", Key: "default", Name: "N", Version: "1.2.3", At: T0, Message: "boom"},
		{InstallationID: "i4", Slug: "p1", Key: "off", Name: "N", Version: "1.2.3", At: T0, Message: "off", Disabled: true},
	}
	same(t, "Failures", want)(s.Failures(ctx, T0, 9))
	same(t, "the latest", want[:1])(s.Failures(ctx, T0, 1))
	if err := plugins.DeletePackage(ctx, "p1", T0); err != nil {
		t.Fatal(err)
	}
	same(t, "of an uninstalled plugin", []overview.Failure(nil))(s.Failures(ctx, T0, 9))
}

func testOverviewReceipts(t *testing.T, db *database.DB) {
	ctx, orders, receipts, s := t.Context(), store.NewOrders(db), store.NewReceipts(db), store.NewOverview(db, nil)
	end := func(id string, do func(id string) error) {
		t.Helper()
		mustReceipt(t, orders, Order(id, "a", "u1", "a@b.c", T0), T0)
		mustLease(t, receipts, id, "lease-"+id, T0, T0.Add(time.Hour))
		if err := do(id); err != nil {
			t.Fatal(err)
		}
	}
	failed := func(at time.Time) func(string) error {
		return func(id string) error { return receipts.FinishReceipt(ctx, id, "lease-"+id, order.ReceiptFailed, at) }
	}
	end("o1", failed(T0.Add(-time.Second)))
	end("o2", failed(T0))
	end("o3", func(id string) error { return receipts.FinishReceipt(ctx, id, "lease-"+id, order.ReceiptSent, T0) })
	end("o4", func(id string) error { return receipts.PostponeReceipt(ctx, id, "lease-"+id, T0.Add(time.Hour), 1) })
	end("o5", func(string) error { return nil }) // is being mailed
	mustReceipt(t, orders, Order("o6", "a", "u1", "a@b.c", T0), T0)
	same(t, "FailedReceipts", overview.Pile{Count: 1, Since: T0})(s.FailedReceipts(ctx, T0))
	same(t, "WaitingReceipts", overview.Pile{Count: 1, Since: T0})(s.WaitingReceipts(ctx))
}

func testOverviewBackups(t *testing.T, db *database.DB) {
	s, jobs := store.NewOverview(db, nil), store.NewBackupJobs(db)
	taken, verified, err := s.Backups(t.Context())
	if none := (overview.BackupRuns{}); taken != none || verified != none || err != nil {
		t.Errorf("before the first backup: %+v, %+v, %v", taken, verified, err)
	}
	err = errors.Join(
		jobs.Succeeded(t.Context(), "", store.BackupJob{Kind: store.BackupTaken, Name: "a", Bytes: 7, Took: time.Second}),
		jobs.Failed(t.Context(), store.BackupVerified, "", "not whole"))
	if err != nil {
		t.Fatal(err)
	}
	taken, verified, err = s.Backups(t.Context())
	if taken.OKAt.IsZero() || !taken.FailedAt.IsZero() || !verified.OKAt.IsZero() || verified.FailedAt.IsZero() ||
		verified.Error != "not whole" || err != nil {
		t.Errorf("Backups = %+v, %+v, %v", taken, verified, err)
	}
}

func testOverviewStaff(t *testing.T, db *database.DB) {
	ctx, s, users := t.Context(), store.NewOverview(db, nil), store.NewAccount(db)
	same(t, "without administrators", overview.Pile{})(s.StaffWithoutFactor(ctx, false))
	for i, id := range []string{"code", "key", "begun", "none", "inactive", "customer", "leaving"} {
		c := credentials(id)
		c.CreatedAt = T0.Add(time.Duration(i) * time.Hour)
		if id != "customer" {
			c.Role = reqctx.RoleAdmin
		}
		mustCreateUser(t, users, c)
	}
	must(t, users.SetActive(ctx, "inactive", false))
	must(t, store.Leave{Account: users}.PlanDeletion(ctx, "leaving", T0.Add(time.Hour)))
	for _, id := range []string{"code", "begun"} {
		must(t, users.PutTOTP(ctx, account.TOTP{UserID: id, Sealed: "a", CreatedAt: T0}))
	}
	must(t, users.ConfirmTOTP(ctx, "code", T0))
	handle, err := users.Handle(ctx, "key", []byte("handle"))
	must(t, err)
	must(t, users.CreatePasskey(ctx, account.Passkey{
		ID: "k1", UserID: "key", Name: "Key", PartyID: "example.com", Handle: handle, CreatedAt: T0,
		Credential: passkey.Credential{ID: "credential", PublicKey: []byte{1}, Algorithm: passkey.ES256},
	}))
	same(t, "without a second factor", overview.Pile{Count: 2, Since: T0.Add(2 * time.Hour)})(s.StaffWithoutFactor(ctx, false))
	same(t, "without a passkey", overview.Pile{Count: 3, Since: T0})(s.StaffWithoutFactor(ctx, true))
	testStaffAtRisk(t, db, s)
}

func testStaffAtRisk(t *testing.T, db *database.DB, s *store.Overview) {
	t.Helper()
	accounts, ctx := store.NewAccount(db), t.Context()
	for id, role := range map[string]reqctx.Role{
		"risky": reqctx.RoleAdmin, "blocked": reqctx.RoleAdmin, "leaver": reqctx.RoleAdmin, "buyer": reqctx.RoleUser,
	} {
		c := credentials(id)
		c.Role = role
		mustCreateUser(t, accounts, c)
		if err := accounts.SetBreached(ctx, id, T0); err != nil {
			t.Fatal(err)
		}
	}
	must(t, accounts.SetActive(ctx, "blocked", false))
	must(t, store.Leave{Account: accounts}.PlanDeletion(ctx, "leaver", T0.Add(time.Hour)))
	same(t, "with a breached password", overview.Pile{Count: 1, Since: T0})(s.BreachedStaff(ctx))
	same(t, "without planned removals", overview.Pile{})(s.FactorResets(ctx, T0))
	if _, err := db.Conn().Write.ExecContext(ctx, `
		INSERT INTO factor_resets (user_id, staff_id, due_at_ms, created_at_ms) VALUES ('buyer', 'risky', $1, $2)`,
		T0.Add(time.Hour).UnixMilli(), T0.UnixMilli()); err != nil {
		t.Fatal(err)
	}
	same(t, "a planned removal", overview.Pile{Count: 1, Since: T0})(s.FactorResets(ctx, T0.Add(time.Hour-time.Millisecond)))
	same(t, "one that nobody used in time", overview.Pile{})(s.FactorResets(ctx, T0.Add(time.Hour)))
	testKeysInNeed(t, accounts.Keys(), s)
}

// testKeysInNeed has keys of the administrators that testStaffAtRisk made, of a customer, and of the shop.
func testKeysInNeed(t *testing.T, keys store.Keys, s *store.Overview) {
	t.Helper()
	ctx, day := t.Context(), 24*time.Hour
	must(t, keys.CreateAccount(ctx, apikey.Account{ID: "books", Name: "Books", CreatedBy: "risky", CreatedAt: T0}))
	rights := permission.Of(permission.ReadOrders)
	add := func(id, user string, k apikey.Key) {
		t.Helper()
		k.ID, k.UserID, k.Name, k.Scopes, k.CreatedAt = id, user, id, apikey.Scopes{Rights: rights}, T0
		if user == "" {
			k.AccountID, k.Ceiling = "books", rights
		}
		must(t, keys.CreateKey(ctx, k))
	}
	for _, user := range []string{"risky", "blocked", "leaver", "buyer"} { // of whom the first counts
		add("end-"+user, user, apikey.Key{ExpiresAt: T0.Add(200 * day), Creator: user})
	}
	add("of-staff", "", apikey.Key{Creator: "risky"})
	add("of-one-who-leaves", "", apikey.Key{Creator: "leaver"})
	add("of-a-customer", "", apikey.Key{Creator: "buyer"})
	add("of-a-service", "", apikey.Key{Creator: "service:job"})
	add("over", "", apikey.Key{Creator: "buyer", ExpiresAt: T0.Add(day)})
	add("revoked", "", apikey.Key{Creator: "buyer"})
	must(t, keys.RevokeKey(ctx, "revoked", T0))
	if _, _, err := keys.Used(ctx, "of-staff", T0.Add(10*day), "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	at := func(days time.Duration) (overview.KeyPiles, error) {
		now := T0.Add(days * day)
		return s.KeysInNeed(ctx, now, now.Add(-90*day), now.Add(7*day))
	}
	beyond := overview.Pile{Count: 2, Since: T0}
	unused := func(n int) overview.Pile { return overview.Pile{Count: n, Since: T0} }
	same(t, "in use", overview.KeyPiles{BeyondCreator: beyond})(at(89))
	same(t, "unused for 90 days", overview.KeyPiles{Unused: unused(4), BeyondCreator: beyond})(at(90))
	same(t, "the used one, too", overview.KeyPiles{Unused: unused(5), BeyondCreator: beyond})(at(100))
	same(t, "in the last week", overview.KeyPiles{
		Unused: unused(5), Expiring: overview.Pile{Count: 1, Since: T0.Add(200 * day)}, BeyondCreator: beyond,
	})(at(193))
	same(t, "after its end", overview.KeyPiles{Unused: unused(4), BeyondCreator: beyond})(at(200))
}
