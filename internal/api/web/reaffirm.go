package web

import (
	"context"
	"net/http"
)

type reaffirmKey struct{}

// WithReaffirm returns r with a check that is made when its body has been read, and whose error takes the place of the
// body: sending a body may take so long that its sender has lost access meanwhile.
func WithReaffirm(r *http.Request, check func(ctx context.Context) error) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), reaffirmKey{}, check))
}

// reaffirm makes the check of WithReaffirm, if there is one.
func reaffirm(ctx context.Context) error {
	if check, ok := ctx.Value(reaffirmKey{}).(func(context.Context) error); ok {
		return check(ctx)
	}
	return nil
}
