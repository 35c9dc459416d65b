package wire

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/trust/keyring"
)

// WriteKeys answers with the public keys of a Ring as a JSON Web Key Set.
// Verifiers may keep it for five minutes: a new key is published long before it
// signs.
func WriteKeys(w http.ResponseWriter, r *http.Request, ring *keyring.Ring) error {
	keys, err := ring.JWKS(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	web.WriteJSON(w, http.StatusOK, map[string][]keyring.JWK{"keys": keys})
	return nil
}
