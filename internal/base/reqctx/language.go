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

// LanguageFor returns the language of what is written to a user: the one that they chose, else that of the request in
// ctx, unless somebody else sent it: whoever helps a user does not choose for them. It is empty if neither is known. An
// empty userID stands for somebody who may have no account.
func LanguageFor(ctx context.Context, userID, chosen string) string {
	caller := CallerFrom(ctx)
	own := userID != "" && caller.UserID == userID && caller.Impersonator == ""
	switch {
	case chosen != "":
		return chosen
	case own || caller.IsGuest():
		return LanguageFrom(ctx)
	}
	return ""
}
