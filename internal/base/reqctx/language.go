package reqctx

import "context"

type languageKey struct{}

// WithLanguage returns a context that carries the language of whoever sent its request, as a BCP 47 tag.
func WithLanguage(ctx context.Context, tag string) context.Context {
	return context.WithValue(ctx, languageKey{}, tag)
}

// LanguageFrom returns what ctx carries; empty if that is not known.
func LanguageFrom(ctx context.Context) string {
	tag, _ := ctx.Value(languageKey{}).(string)
	return tag
}
