// Package oidc pins an OpenID provider that others wrote: the example of zitadel/oidc. It is a module of its own, so
// that stoa depends on none of it.
package oidc
