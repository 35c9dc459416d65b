package sign

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Key is the public key of a publisher, under the name that the operator calls it by.
type Key struct {
	Name   string
	Public ed25519.PublicKey
}

// Keys are the trusted keys. No keys trust nobody.
type Keys []Key

var nameRE = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)

// ParseKeys reads a setting: a list of name=key.
func ParseKeys(list []string) (Keys, error) {
	var keys Keys
	for _, item := range list {
		name, text, _ := strings.Cut(strings.TrimSpace(item), "=") // the key may end in =
		if !nameRE.MatchString(name) {
			return nil, fmt.Errorf("%q is no name of a key: write name=key, with letters, digits and . _ @ -", name)
		}
		public, err := DecodePublic(text)
		if err != nil {
			return nil, fmt.Errorf("the key %s: %w", name, err)
		}
		for _, k := range keys {
			if k.Name == name || k.Public.Equal(public) {
				return nil, fmt.Errorf("the key %s is given twice", name)
			}
		}
		keys = append(keys, Key{Name: name, Public: public})
	}
	return keys, nil
}

// Find returns the name of a key; ok is false if the key is not trusted.
func (ks Keys) Find(public ed25519.PublicKey) (name string, ok bool) {
	for _, k := range ks {
		if k.Public.Equal(public) {
			return k.Name, true
		}
	}
	return "", false
}

// EncodePublic returns a public key as text: its 32 bytes in base64.
func EncodePublic(key ed25519.PublicKey) string { return base64.StdEncoding.EncodeToString(key) }

// DecodePublic reads what EncodePublic returns.
func DecodePublic(text string) (ed25519.PublicKey, error) {
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize || EncodePublic(key) != text {
		return nil, fmt.Errorf("a public key is %d bytes in base64, as stoa package keygen prints it", ed25519.PublicKeySize)
	}
	return key, nil
}

const pemType = "PRIVATE KEY"

// EncodePrivate returns a private key as a PEM file (PKCS #8).
func EncodePrivate(key ed25519.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der}), nil
}

// DecodePrivate reads what EncodePrivate returns. Its errors say nothing of the content.
func DecodePrivate(text []byte) (ed25519.PrivateKey, error) {
	bad := errors.New("it is not an Ed25519 private key in PEM (PKCS #8)")
	block, rest := pem.Decode(text)
	if block == nil || block.Type != pemType || len(bytes.TrimSpace(rest)) > 0 {
		return nil, bad
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, bad
	}
	return key, nil
}
