package reqctx

import "context"

type agentKey struct{}

// WithUserAgent returns a context that carries what the program behind its request says that it is.
func WithUserAgent(ctx context.Context, userAgent string) context.Context {
	return context.WithValue(ctx, agentKey{}, userAgent)
}

// UserAgentFrom returns what ctx carries, as it was sent; empty without one.
func UserAgentFrom(ctx context.Context) string {
	agent, _ := ctx.Value(agentKey{}).(string)
	return agent
}
