package operation_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/market/operation"
	"stoa/internal/market/terms"
	"stoa/internal/testkit"
)

const (
	handoffs  = terms.Prefix + "handoffs"
	claim     = handoffs + "/h1/claim"
	lastPause = time.Minute
)

// sells has the market take handoffs, which are paid once paid is true. It returns what was asked for.
func (s *stage) sells(paid *atomic.Bool) (asked chan object) {
	asked = make(chan object, 9)
	s.m.Serve(handoffs, func(w http.ResponseWriter, r *http.Request) {
		var in object
		_ = json.NewDecoder(r.Body).Decode(&in)
		asked <- in
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(object{
			"handoffId": "h1", "checkoutUrl": s.m.URL + "/checkout/tool/pro?handoff=h1", "expiresAt": testkit.T0.Add(time.Hour),
		})
	})
	s.m.Serve(claim, func(w http.ResponseWriter, r *http.Request) {
		var in object
		_ = json.NewDecoder(r.Body).Decode(&in)
		asked <- in
		if !paid.Load() {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		_ = json.NewEncoder(w).Encode(object{"licenseKey": goodKey})
	})
	return asked
}

func (s *stage) buy(t *testing.T) testkit.Response {
	t.Helper()
	return s.post(t, "purchases", object{"productSlug": "tool", "tierId": "pro", "grants": []string{"storage:read"}})
}

// again lets time pass and carries on what is due then.
func (s *stage) again(t *testing.T, d time.Duration) {
	t.Helper()
	s.Clock.Advance(d)
	if err := s.Operations.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A purchase is paid on the market and ends with a package that runs. Nobody but the two servers sees the key or the
// secret.
func TestAPurchase(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		s := newStage(t, true, options...)
		var paid atomic.Bool
		asked := s.sells(&paid)
		bought := s.buy(t)
		id := bought.Text(t, "data.operationId")
		if bought.Text(t, "data.checkoutUrl") != s.m.URL+"/checkout/tool/pro?handoff=h1" || bought.Get(t, "data.expiresAt") == nil {
			t.Errorf("%s", bought.Body)
		}
		op := s.settled(t, bought)
		if op.Text(t, "data.state") != "pending" || op.Get(t, "data.step") != nil || op.Text(t, "data.checkoutUrl") == "" {
			t.Errorf("%s", op.Body)
		}
		ask, claimed := <-asked, <-asked
		secret, err := base64.RawURLEncoding.DecodeString(claimed["secret"].(string))
		hash := sha256.Sum256(secret)
		if err != nil || len(secret) != 32 || ask["secretHash"] != hex.EncodeToString(hash[:]) {
			t.Errorf("secret: %v, %v", ask, err)
		}
		delete(ask, "secretHash")
		if diff := cmp.Diff(ask, object{
			"productSlug": "tool", "tierId": "pro", "instance": "127.0.0.1", "platformId": s.PlatformID,
			"returnUrl": s.URL + "/console/plugins/markets/" + s.market + "?operation=" + id,
		}); diff != "" {
			t.Errorf("asked (-got +want):\n%s", diff)
		}
		s.again(t, time.Second)
		if len(asked) != 0 {
			t.Error("it asks too often")
		}
		s.again(t, time.Second)
		if len(asked) != 1 {
			t.Error("it does not ask after 2 s")
		}
		<-asked
		paid.Store(true)
		s.again(t, 2*time.Second)
		op = s.operation(t, id)
		wantSteps(t, op, "paid", "activated", "downloaded", "verified", "installed", "running")
		if op.Get(t, "data.checkoutUrl") != nil || s.version(t, "tool") != "1.0.0" || s.licenses.seats != 1 {
			t.Errorf("%s", op.Body)
		}
		events := s.DoUnchecked(t, testkit.Get(s.admin.Access, "/api/v1/admin/market-operations/"+id+"/events"))
		var names []string
		for line := range strings.Lines(string(events.Body)) {
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				names = append(names, strings.TrimSpace(name))
			}
		}
		if !cmp.Equal(names, []string{"paid", "activated", "downloaded", "verified", "installed", "running"}) {
			t.Errorf("events %v", names)
		}
		audit := s.Do(t, testkit.Get(s.admin.Access, "/api/v1/admin/audit?action=market.purchase"))
		entries, _ := audit.Get(t, "data.items").([]any)
		if len(entries) != 1 || !strings.Contains(string(audit.Body), s.admin.UserID) {
			t.Errorf("audit: %s", audit.Body)
		}
		for _, body := range [][]byte{op.Body, events.Body, audit.Body, bought.Body} {
			if strings.Contains(string(body), goodKey) || strings.Contains(string(body), claimed["secret"].(string)) {
				t.Errorf("a secret is shown: %s", body)
			}
		}
	})
}

// A market sends buyers back to an address with https only, or on loopback. A stoa with another one says so itself, and
// asks no market; trials need no way back.
func TestPurchasesNeedHTTPS(t *testing.T) {
	t.Parallel()

	for address, status := range map[string]int{
		"http://192.168.1.5:8080":  http.StatusConflict,
		"http://shop.example.com":  http.StatusConflict,
		"https://shop.example.com": http.StatusAccepted,
		"http://localhost:8080":    http.StatusAccepted,
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()

			s := newStage(t, true, func(_ testing.TB, cfg *app.Config) { cfg.PublicURL = address })
			asked := s.sells(new(atomic.Bool))
			got := s.buy(t)
			if got.Status != status {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
			if status == http.StatusConflict {
				want(t, got, status, "CONFLICT")
				if !strings.Contains(got.Text(t, "error.message"), "STOA_PUBLIC_URL") || len(asked) != 0 {
					t.Errorf("the market was asked %d times: %s", len(asked), got.Body)
				}
			}
			trial := s.post(t, "trials", object{"productSlug": "tool", "tierId": "pro", "email": "a@example.com", "grants": []string{}})
			if strings.Contains(string(trial.Body), "STOA_PUBLIC_URL") {
				t.Errorf("a trial: %s", trial.Body)
			}
		})
	}
}

// A market is asked for a payment every 2 s for ten minutes, and then every minute.
func TestPaymentsAreAwaited(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	asked := s.sells(new(atomic.Bool))
	s.settled(t, s.buy(t))
	<-asked
	<-asked
	s.again(t, 10*time.Minute)
	<-asked
	s.again(t, 59*time.Second)
	if len(asked) != 0 {
		t.Error("it asks too often")
	}
	s.again(t, time.Second)
	if len(asked) != 1 {
		t.Error("it does not ask after a minute")
	}
}

// The end of the handoff ends a purchase that is not paid. A market that is away does not, and after the payment
// nothing does.
func TestTheEndOfAPurchase(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	var paid atomic.Bool
	s.sells(&paid)
	op := s.settled(t, s.buy(t))
	id := op.Text(t, "data.operationId")
	s.m.Stop()
	s.again(t, 24*time.Hour)
	if got := s.operation(t, id); got.Text(t, "data.state") != "pending" {
		t.Fatalf("away: %s", got.Body)
	}
	s.m.Start()
	s.serve(claim, http.StatusGone, object{"error": "HANDOFF_EXPIRED", "message": "x"})
	s.again(t, time.Hour)
	wantLast(t, s.operation(t, id), "HANDOFF_EXPIRED")

	s.m.Publish()
	s.sells(&paid)
	paid.Store(true)
	s.licenses.away = true
	op = s.settled(t, s.buy(t))
	wantSteps(t, op, "paid")
	s.again(t, 80*24*time.Hour)
	s.licenses.away = false
	s.m.Publish()
	s.again(t, time.Hour)
	after, err := s.Operations.Get(t.Context(), op.Text(t, "data.operationId"))
	if err != nil || after.State != operation.Done {
		t.Errorf("%+v, %v", after, err)
	}
}

// Buyers are sent to the market's own address only.
func TestCheckoutIsOnTheMarket(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	for _, address := range []string{
		"https://evil.example/checkout", "javascript:alert(1)", "//evil.example/x", "/checkout", "",
		strings.Replace(s.m.URL, "http://", "http://user@", 1) + "/x", strings.Replace(s.m.URL, "http:", "https:", 1) + "/x",
		s.m.URL + ".evil.example/x",
	} {
		s.serve(handoffs, http.StatusCreated, object{"handoffId": "h1", "checkoutUrl": address, "expiresAt": testkit.T0})
		want(t, s.buy(t), http.StatusConflict, "MARKET_UNTRUSTED")
	}
	list := s.Do(t, testkit.Get(s.admin.Access, "/api/v1/admin/market-operations"))
	if items, _ := list.Get(t, "data.items").([]any); len(items) != 0 {
		t.Errorf("%s", list.Body)
	}
}

// What the market says to a purchase or a trial is told at once.
func TestRefusalsAreToldAtOnce(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	for _, tt := range []struct {
		status int
		code   string
		want   int
		as     string
	}{
		{404, "NOT_FOUND", 404, "NOT_FOUND"},
		{400, "VALIDATION_ERROR", 409, "CONFLICT"},
		{429, "RATE_LIMIT_EXCEEDED", 502, "MARKET_UNREACHABLE"},
		{500, "INTERNAL_ERROR", 502, "MARKET_UNREACHABLE"},
	} {
		body := object{"error": tt.code, "message": "x"}
		s.serve(handoffs, tt.status, body)
		want(t, s.buy(t), tt.want, tt.as)
		if tt.want < 500 { // else nobody knows whether it began
			s.serve(terms.Prefix+"trials", tt.status, body)
			want(t, s.try(t), tt.want, tt.as)
		}
	}
	s.serve(terms.Prefix+"trials", 409, object{"error": "TRIAL_USED", "message": "x"})
	want(t, s.try(t), http.StatusConflict, "TRIAL_USED")
	free := newStage(t, false)
	want(t, free.buy(t), http.StatusConflict, "CONFLICT")
}

func (s *stage) try(t *testing.T) testkit.Response {
	t.Helper()
	return s.post(t, "trials", object{"productSlug": "tool", "tierId": "pro", "email": "ada@example.com", "grants": []string{}})
}

// A trial whose answer got lost is asked for again as the same one.
func TestATrial(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	var once []string
	s.m.Serve(terms.Prefix+"trials", func(w http.ResponseWriter, r *http.Request) {
		once = append(once, r.Header.Get("Idempotency-Key"))
		if len(once) == 1 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(object{"licenseKey": goodKey})
	})
	op := s.settled(t, s.try(t))
	s.again(t, lastPause)
	op = s.operation(t, op.Text(t, "data.operationId"))
	wantSteps(t, op, "activated", "downloaded", "verified", "installed", "running")
	if len(once) != 2 || once[0] != once[1] || once[0] != op.Text(t, "data.operationId") {
		t.Errorf("asked %v", once)
	}
	audit := s.Do(t, testkit.Get(s.admin.Access, "/api/v1/admin/audit?action=market.trial"))
	if entries, _ := audit.Get(t, "data.items").([]any); len(entries) != 1 || strings.Contains(string(audit.Body), "ada@") {
		t.Errorf("audit: %s", audit.Body)
	}
}
