package httpapi

import (
	"net/http"

	"stoa/internal/keyring"
)

// licenseKeys serves GET /api/marketplace/license-keys: the public keys that
// verify licence answers and leases.
func (s *Server) licenseKeys(w http.ResponseWriter, r *http.Request) error {
	return writeKeys(w, r, s.LicenseKeys)
}

// writeKeys answers the public keys of a Ring as a JSON Web Key Set. Verifiers
// may keep it for five minutes: a new key is published long before it signs.
func writeKeys(w http.ResponseWriter, r *http.Request, ring *keyring.Ring) error {
	keys, err := ring.JWKS(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	writeJSON(w, http.StatusOK, map[string][]keyring.JWK{"keys": keys})
	return nil
}
