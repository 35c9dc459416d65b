package reqctx

import "context"

// Behalf is who of the staff did something as which user. The zero value is nobody: users do it themselves.
type Behalf struct{ UserID, Impersonator string }

// Any reports whether somebody of the staff did it.
func (b Behalf) Any() bool { return b.Impersonator != "" }

type behalfKey struct{}

// WithBehalf returns a context for what a plugin does in a call that somebody of the staff made as a user.
func WithBehalf(ctx context.Context, b Behalf) context.Context {
	return context.WithValue(ctx, behalfKey{}, b)
}

// BehalfFrom returns on whose behalf the request of ctx acts: a plugin that is called, or the caller.
func BehalfFrom(ctx context.Context) Behalf {
	if b, ok := ctx.Value(behalfKey{}).(Behalf); ok {
		return b
	}
	if who := CallerFrom(ctx); who.Impersonator != "" {
		return Behalf{who.UserID, who.Impersonator}
	}
	return Behalf{}
}
