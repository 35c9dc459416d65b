package passkey

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/google/uuid"
)

// maxAnswer is how long the answer of a browser may be: the statements of authenticators that say more than they were
// asked for have some kilobytes.
const maxAnswer = 32 << 10

// The sizes of RSA keys that are accepted, in bits: what is shorter is weak, and what is longer takes long.
const (
	minRSA = 2048
	maxRSA = 4096
)

// ErrRefused is returned for every answer that is not genuine. What it wraps is for the log.
var ErrRefused = errors.New("passkey: refused")

func refused(err error) error { return fmt.Errorf("%w: %w", ErrRefused, err) }

// Registration is a browser's answer to Creation, not verified.
type Registration struct {
	data *protocol.ParsedCredentialCreationData
}

// ParseRegistration reads a credential as PublicKeyCredential.toJSON writes it.
func ParseRegistration(raw []byte) (Registration, error) {
	if len(raw) > maxAnswer {
		return Registration{}, refused(errors.New("too long"))
	}
	data, err := protocol.ParseCredentialCreationResponseBytes(raw)
	if err != nil {
		return Registration{}, refused(err)
	}
	return Registration{data}, nil
}

// Challenge returns the challenge that r answers, as it says.
func (r Registration) Challenge() string { return r.data.Response.CollectedClientData.Challenge }

// VerifyRegistration returns the passkey that an answer tells of. The caller must have found its challenge.
//
// What an authenticator states about itself is not looked at: nobody is asked for it.
func (p *Party) VerifyRegistration(r Registration) (Credential, error) {
	answer := r.data.Response
	auth := answer.AttestationObject.AuthData
	if err := p.check(answer.CollectedClientData, protocol.CreateCeremony, auth); err != nil {
		return Credential{}, refused(err)
	}
	if id := auth.AttData.CredentialID; len(id) == 0 || !slices.Equal(id, r.data.RawID) {
		return Credential{}, refused(errors.New("the passkey that was made has another id"))
	}
	alg, _, err := parseKey(auth.AttData.CredentialPublicKey)
	if err != nil {
		return Credential{}, refused(err)
	}
	kind, err := uuid.FromBytes(auth.AttData.AAGUID)
	if err != nil {
		return Credential{}, refused(err)
	}
	return Credential{
		ID: text(auth.AttData.CredentialID), PublicKey: auth.AttData.CredentialPublicKey, Algorithm: alg,
		Counter: auth.Counter, AAGUID: kind.String(), BackupEligible: auth.Flags.HasBackupEligible(),
		BackedUp: auth.Flags.HasBackupState(), Transports: knownTransports(answer.Transports),
	}, nil
}

// Assertion is a browser's answer to Request, not verified.
type Assertion struct {
	data *protocol.ParsedCredentialAssertionData
}

// ParseAssertion reads a credential as PublicKeyCredential.toJSON writes it.
func ParseAssertion(raw []byte) (Assertion, error) {
	if len(raw) > maxAnswer {
		return Assertion{}, refused(errors.New("too long"))
	}
	data, err := protocol.ParseCredentialRequestResponseBytes(raw)
	if err != nil {
		return Assertion{}, refused(err)
	}
	return Assertion{data}, nil
}

// Challenge returns the challenge that a answers, as it says.
func (a Assertion) Challenge() string { return a.data.Response.CollectedClientData.Challenge }

// CredentialID returns the id of the passkey that a says to be of.
func (a Assertion) CredentialID() string { return text(a.data.RawID) }

// UserHandle returns the handle of the user whose passkey it is, as the authenticator says; it may be empty.
func (a Assertion) UserHandle() []byte { return a.data.Response.UserHandle }

// VerifyAssertion checks that an answer is the proof of a passkey. The caller must have found its challenge, and c by
// its id.
func (p *Party) VerifyAssertion(a Assertion, c Credential) (Use, error) {
	answer := a.data.Response
	auth := answer.AuthenticatorData
	if err := p.check(answer.CollectedClientData, protocol.AssertCeremony, auth); err != nil {
		return Use{}, refused(err)
	}
	if auth.Flags.HasBackupEligible() != c.BackupEligible {
		return Use{}, refused(errors.New("whether the passkey may be synchronized has changed"))
	}
	alg, key, err := parseKey(c.PublicKey)
	if err != nil {
		return Use{}, refused(err)
	}
	if alg != c.Algorithm || a.CredentialID() != c.ID {
		return Use{}, refused(errors.New("it is another passkey"))
	}
	client := sha256.Sum256(a.data.Raw.AssertionResponse.ClientDataJSON)
	signed := slices.Concat([]byte(a.data.Raw.AssertionResponse.AuthenticatorData), client[:])
	if ok, err := webauthncose.VerifySignature(key, signed, answer.Signature); err != nil || !ok {
		return Use{}, refused(errors.New("the signature is wrong"))
	}
	return Use{Counter: auth.Counter, BackedUp: auth.Flags.HasBackupState()}, nil
}

// check checks what every answer must have: the page that asked, what it asked for, and what the authenticator did.
func (p *Party) check(
	client protocol.CollectedClientData, kind protocol.CeremonyType, auth protocol.AuthenticatorData,
) error {
	// Origins are compared as texts: browsers spell them in one way.
	if !slices.Contains(p.Origins, client.Origin) {
		return fmt.Errorf("the origin is %q", client.Origin)
	}
	err := client.Verify(client.Challenge, kind, p.Origins, nil, nil, protocol.TopOriginExplicitVerificationMode, false)
	if err != nil {
		return err
	}
	party := sha256.Sum256([]byte(p.ID))
	if err := auth.Verify(party[:], nil, true, true); err != nil {
		return err
	}
	if auth.Flags.HasBackupState() && !auth.Flags.HasBackupEligible() {
		return errors.New("the passkey is synchronized and may not be")
	}
	return nil
}

// parseKey reads a public key (COSE) of one of the algorithms that are offered.
func parseKey(cose []byte) (alg int, key any, err error) {
	key, err = webauthncose.ParsePublicKey(cose)
	if err != nil {
		return 0, nil, err
	}
	switch k := key.(type) {
	case webauthncose.EC2PublicKeyData:
		alg = int(k.Algorithm)
	case webauthncose.OKPPublicKeyData:
		alg = int(k.Algorithm)
	case webauthncose.RSAPublicKeyData:
		alg = int(k.Algorithm)
		if bits := new(big.Int).SetBytes(k.Modulus).BitLen(); bits < minRSA || bits > maxRSA {
			return 0, nil, fmt.Errorf("an RSA key of %d bits", bits)
		}
	}
	if !slices.Contains(algorithms, alg) {
		return 0, nil, fmt.Errorf("the algorithm %d is not offered", alg)
	}
	return alg, key, nil
}

// transports are the ways to reach an authenticator that browsers know.
var transports = []string{"usb", "nfc", "ble", "smart-card", "hybrid", "internal"}

func knownTransports(said []protocol.AuthenticatorTransport) []string {
	var known []string
	for _, t := range said {
		if name := string(t); slices.Contains(transports, name) && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	return known
}
