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

type behalfSlotKey struct{}

// BehalfSlotKey is the key under which the context of a request has a *Behalf, which SetBehalf fills. A context that
// carries several values can answer it without one context for each.
func BehalfSlotKey() any { return behalfSlotKey{} }

// SetBehalf records in the context that ctx was made of on whose behalf its request acts, for lines of the log that are
// written with that one. An empty b changes nothing. It is called before anything else uses ctx.
func SetBehalf(ctx context.Context, b Behalf) {
	if !b.Any() {
		return
	}
	if slot, ok := ctx.Value(behalfSlotKey{}).(*Behalf); ok {
		*slot = b
	}
}

// behalfOfLine returns on whose behalf a line of the log is written.
func behalfOfLine(ctx context.Context) Behalf {
	if b := BehalfFrom(ctx); b.Any() {
		return b
	}
	if slot, ok := ctx.Value(behalfSlotKey{}).(*Behalf); ok {
		return *slot
	}
	return Behalf{}
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
