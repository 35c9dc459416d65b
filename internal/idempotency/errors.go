package idempotency

import (
	"errors"
	"time"

	"stoa/internal/errs"
)

// Why a request with a key is not carried out.
var (
	ErrReused     = errs.New(errs.Unprocessable, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used for another request. A new request needs a new key.")
	ErrInProgress = errs.New(errs.Conflict, "IDEMPOTENCY_IN_PROGRESS", "A request with this Idempotency-Key is still running. Wait as long as Retry-After says, then send it again.").After(time.Second)
)

// errLost is the cause that ends an attempt whose lease another one has taken.
var errLost = errors.New("idempotency: the lease is another attempt's")
