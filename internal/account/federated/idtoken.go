package federated

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

const (
	maxSubject = 255 // characters, as OpenID Connect has it
	maxToken   = 64 << 10
	tokenAge   = 10 * time.Minute // how old an ID token may be

	// ClockSkew is by how much the clock of a provider may differ.
	ClockSkew = time.Minute
)

// claims are what stoa reads of an ID token, and of userinfo.
type claims struct {
	Subject  string   `json:"sub"`
	Email    string   `json:"email"`
	Verified verified `json:"email_verified"`
	Domain   string   `json:"hd"`  // Google: of the organization that the account belongs to
	Client   string   `json:"azp"` // to whom the token was given
	AuthTime int64    `json:"auth_time"`
}

// verified is true only if it is the JSON value true. Some providers send other things for "no".
type verified bool

// UnmarshalJSON implements json.Unmarshaler.
func (v *verified) UnmarshalJSON(raw []byte) error {
	*v = string(raw) == "true"
	return nil
}

// identity returns who a provider says in an ID token that somebody is.
func (c *Client) identity(ctx context.Context, p Provider, nonce string, tokens *oauth2.Token) (Identity, error) {
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" || len(raw) > maxToken {
		return Identity{}, errors.New("token endpoint: there is no ID token")
	}
	is, err := c.issuer(ctx, p.Issuer)
	if err != nil {
		return Identity{}, err
	}
	said, err := c.verify(ctx, p, is, nonce, raw, tokens.AccessToken)
	if err != nil {
		return Identity{}, fmt.Errorf("ID token: %w", err)
	}
	if said.Email == "" && is.about.UserInfo != "" {
		var more claims
		if _, err := c.get(ctx, is.about.UserInfo, tokens.AccessToken, &more); err != nil {
			return Identity{}, fmt.Errorf("userinfo: %w", err)
		}
		if more.Subject != said.Subject {
			return Identity{}, errors.New("userinfo: it is about somebody else")
		}
		said.Email, said.Verified, said.Domain = more.Email, more.Verified, more.Domain
	}
	id := Identity{Issuer: p.Issuer, Subject: said.Subject}
	if said.AuthTime > 0 {
		id.AuthenticatedAt = time.Unix(said.AuthTime, 0)
	}
	if said.Verified { // else it counts as no address
		id.Email, id.Authoritative = said.Email, p.authoritative(said)
	}
	return id, nil
}

// authoritative reports whether the provider's word is enough that somebody reads mail to a verified address.
func (p Provider) authoritative(said claims) bool {
	if p.Kind != Google {
		return p.VerifiesAddresses
	}
	// Google verifies any address once; it runs the mailboxes of its own domains, and of organizations.
	domain := strings.ToLower(said.Email[strings.LastIndexByte(said.Email, '@')+1:])
	return domain == "gmail.com" || domain == "googlemail.com" ||
		said.Domain != "" && strings.EqualFold(said.Domain, domain)
}

// verify checks an ID token, and returns what it says. Package oidc checks the issuer, that the client is among those
// that it is for, and the expiry; the rest is here.
func (c *Client) verify(ctx context.Context, p Provider, is *issuer, nonce, raw, access string) (claims, error) {
	verifier := oidc.NewVerifier(p.Issuer, keySet{c, is}, &oidc.Config{
		ClientID: p.ClientID, SupportedSigningAlgs: is.about.algorithmNames(), Now: c.now,
	})
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return claims{}, err
	}
	var said claims
	if err := token.Claims(&said); err != nil {
		return claims{}, errors.New("its claims are not as expected")
	}
	now := c.now()
	switch {
	case token.Issuer != p.Issuer: // package oidc takes two spellings of Google's
		err = errors.New("it is of another issuer")
	case said.Client != "" && said.Client != p.ClientID,
		said.Client == "" && !slices.Equal(token.Audience, []string{p.ClientID}):
		err = errors.New("it is for another client, too")
	case nonce == "" || subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1:
		err = errors.New("it is of another sign-in")
	case token.IssuedAt.Before(now.Add(-tokenAge)) || token.IssuedAt.After(now.Add(ClockSkew)):
		err = errors.New("it was not issued just now")
	case said.Subject == "" || len(said.Subject) > maxSubject:
		err = errors.New("it names nobody")
	case token.AccessTokenHash != "":
		err = token.VerifyAccessToken(access)
	}
	return said, err
}

func (m metadata) algorithmNames() []string {
	var names []string
	for _, a := range m.algorithms() {
		names = append(names, string(a))
	}
	return names
}

// keySet verifies signatures with the keys of an issuer.
type keySet struct {
	c  *Client
	is *issuer
}

// VerifySignature implements oidc.KeySet.
func (k keySet) VerifySignature(ctx context.Context, raw string) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(raw, k.is.about.algorithms())
	if err != nil || len(signed.Signatures) != 1 {
		return nil, errors.New("it is not signed as expected")
	}
	head := signed.Signatures[0].Header
	keys, err := k.is.find(ctx, k.c, head.KeyID)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if key.Algorithm != "" && key.Algorithm != head.Algorithm {
			continue
		}
		if payload, err := signed.Verify(key.Key); err == nil {
			return payload, nil
		}
	}
	return nil, errors.New("none of the issuer's keys signed it")
}
