package idempotency

import (
	"errors"
	"time"

	"stoa/internal/base/errs"
)

// Reasons for not running an operation.
var (
	ErrReused = errs.New(errs.Unprocessable, "IDEMPOTENCY_KEY_REUSED",
		"This Idempotency-Key was used for another request. A new request needs a new key.")
	ErrInProgress = errs.New(errs.Conflict, "IDEMPOTENCY_IN_PROGRESS",
		"A request with this Idempotency-Key is still being carried out. "+
			"Wait as long as Retry-After says, and send it again.").After(time.Second)
)

// errLost cancels an attempt whose lease was taken over by another one.
var errLost = errors.New("idempotency: another attempt has taken over the lease")
