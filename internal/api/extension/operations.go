package extension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/extension"
	"stoa/internal/market/operation"
	"stoa/internal/market/remote"
)

const (
	// operationLook is how often an operation that is followed is read: any process may carry it on.
	operationLook = 500 * time.Millisecond
	// operationPing is how often who follows one gets a comment: proxies close connections that are silent for long.
	operationPing = 15 * time.Second
)

// shownOperation is an operation on the wire (contract 9.6).
type shownOperation struct {
	OperationID string             `json:"operationId"`
	Kind        operation.Kind     `json:"kind"`
	Market      string             `json:"market"`
	ProductSlug string             `json:"productSlug"`
	Package     operationPackage   `json:"package"`
	State       operation.State    `json:"state"`
	Step        *operation.Step    `json:"step"`
	Steps       []operationStep    `json:"steps"`
	Error       *operation.Failure `json:"error"`
	Waiting     *operation.Failure `json:"waiting"`
	CheckoutURL *string            `json:"checkoutUrl"`
	ExpiresAt   *web.Timestamp     `json:"expiresAt"`
	CreatedAt   web.Timestamp      `json:"createdAt"`
}

type operationPackage struct {
	Kind    extension.Kind `json:"kind"`
	Slug    string         `json:"slug"`
	Version string         `json:"version"`
}

type operationStep struct {
	Name operation.Step `json:"name"`
	At   web.Timestamp  `json:"at"`
}

func newOperation(o operation.Operation) shownOperation {
	shown := shownOperation{
		OperationID: o.ID, Kind: o.Kind, Market: o.Market, ProductSlug: o.Product, State: o.State,
		Package: operationPackage{o.Package.Kind, o.Package.Slug, o.Package.Version}, Step: web.OrNull(o.Step()),
		Steps: web.Items(o.Steps, func(r operation.Reached) operationStep {
			return operationStep{r.Step, web.Timestamp(r.At)}
		}),
		Error: o.Failure, Waiting: o.Waiting, CreatedAt: web.Timestamp(o.CreatedAt),
	}
	if o.Unpaid() {
		until := web.Timestamp(o.ExpiresAt)
		shown.CheckoutURL, shown.ExpiresAt = &o.CheckoutURL, &until
	}
	return shown
}

// started is the answer to what begins an operation.
type started struct {
	OperationID string `json:"operationId"`
}

// toPay is the answer to a purchase.
type toPay struct {
	started

	CheckoutURL string        `json:"checkoutUrl"`
	ExpiresAt   web.Timestamp `json:"expiresAt"`
}

// BuyFromMarket serves POST /api/v1/admin/markets/{market}/purchases.
func (h *Handlers) BuyFromMarket(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, operation.NewPurchase.Issues)
	if err != nil {
		return err
	}
	o, err := h.Operations.Purchase(r.Context(), r.PathValue("market"), in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusAccepted, toPay{started{o.ID}, o.CheckoutURL, web.Timestamp(o.ExpiresAt)})
	return nil
}

// TryFromMarket serves POST /api/v1/admin/markets/{market}/trials.
func (h *Handlers) TryFromMarket(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, operation.NewTrial.Issues)
	if err != nil {
		return err
	}
	o, err := h.Operations.Trial(r.Context(), r.PathValue("market"), in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusAccepted, started{o.ID})
	return nil
}

// InstallProduct serves POST /api/v1/admin/markets/{market}/products/{slug}/install.
func (h *Handlers) InstallProduct(w http.ResponseWriter, r *http.Request) error {
	market, slug := r.PathValue("market"), r.PathValue("slug")
	issues := operation.NewInstall.Issues
	if market == remote.Self {
		issues = operation.NewInstall.OwnIssues
	}
	in, err := web.ReadStrictly(w, r, issues)
	if err != nil {
		return err
	}
	if market == remote.Self {
		return h.installOwn(w, r, slug, in)
	}
	o, err := h.Operations.Install(r.Context(), market, slug, in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusAccepted, started{o.ID})
	return nil
}

// ListOperations serves GET /api/v1/admin/market-operations.
func (h *Handlers) ListOperations(w http.ResponseWriter, r *http.Request) error {
	page, err := web.ReadOnlyPage(r)
	if err != nil {
		return err
	}
	list, total, err := h.Operations.List(r.Context(), page.Limit, page.Offset())
	if err != nil {
		return err
	}
	web.WriteList(w, page, list, total, newOperation)
	return nil
}

// GetOperation serves GET /api/v1/admin/market-operations/{id}.
func (h *Handlers) GetOperation(w http.ResponseWriter, r *http.Request) error {
	o, err := h.Operations.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, newOperation(o))
	return nil
}

// EndOperation serves DELETE /api/v1/admin/market-operations/{id}.
func (h *Handlers) EndOperation(w http.ResponseWriter, r *http.Request) error {
	o, err := h.Operations.End(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, newOperation(o))
	return nil
}

// FollowOperation serves GET /api/v1/admin/market-operations/{id}/events: an event for each step, until the operation
// is over.
func (h *Handlers) FollowOperation(w http.ResponseWriter, r *http.Request) error {
	ctx, rc := r.Context(), http.NewResponseController(w)
	o, err := h.Operations.Get(ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	last, err := number(r.Header.Get("Last-Event-ID")) // a browser reconnects
	if err != nil {
		last = 0
	}
	web.NoStore(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	look, ping := time.NewTicker(operationLook), time.NewTicker(operationPing)
	defer look.Stop()
	defer ping.Stop()
	for {
		sent, err := writeSteps(w, o, int(last))
		if err != nil {
			return nil
		}
		last = max(last, int64(sent))
		_ = rc.SetWriteDeadline(time.Now().Add(2 * operationPing)) // fails only without a connection
		if rc.Flush() != nil || o.State != operation.Pending {
			return nil
		}
		select {
		case <-look.C:
		case <-ping.C:
			if _, err := fmt.Fprint(w, ": still here\n\n"); err != nil {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
		if o, err = h.Operations.Get(ctx, o.ID); err != nil {
			return nil
		}
	}
}

// writeSteps writes the events of an operation after the first ones, and returns how many there are by now. Each has
// the operation as it is now.
func writeSteps(w http.ResponseWriter, o operation.Operation, after int) (sent int, err error) {
	names := make([]string, 0, len(o.Steps)+1)
	for _, s := range o.Steps {
		names = append(names, string(s.Step))
	}
	if o.State == operation.Failed {
		names = append(names, string(operation.Failed))
	}
	text, err := json.Marshal(newOperation(o))
	for i := after; err == nil && i < len(names); i++ {
		_, err = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", i+1, names[i], text) //nolint:gosec // JSON, and no page
	}
	return len(names), err
}
