package passkey

// Creation is the JSON that a page passes to PublicKeyCredential.parseCreationOptionsFromJSON.
type Creation struct {
	Party                  host        `json:"rp"`
	User                   person      `json:"user"`
	Challenge              string      `json:"challenge"`
	Parameters             []parameter `json:"pubKeyCredParams"`
	Timeout                int64       `json:"timeout"` // milliseconds
	Exclude                []Reference `json:"excludeCredentials"`
	AuthenticatorSelection selection   `json:"authenticatorSelection"`
	Attestation            string      `json:"attestation"`
}

// Request is the JSON that a page passes to PublicKeyCredential.parseRequestOptionsFromJSON.
type Request struct {
	Challenge        string      `json:"challenge"`
	Timeout          int64       `json:"timeout"` // milliseconds
	Party            string      `json:"rpId"`
	Allow            []Reference `json:"allowCredentials,omitempty"`
	UserVerification string      `json:"userVerification"`
}

type host struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type person struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
}

type parameter struct {
	Type      string `json:"type"`
	Algorithm int    `json:"alg"`
}

type selection struct {
	ResidentKey        string `json:"residentKey"`
	RequireResidentKey bool   `json:"requireResidentKey"`
	UserVerification   string `json:"userVerification"`
}

// Reference names a passkey.
type Reference struct {
	Type       string   `json:"type"`
	ID         string   `json:"id"`
	Transports []string `json:"transports,omitempty"`
}

const (
	publicKey = "public-key"
	required  = "required"
)

// User is for whom a passkey is made. Devices show the names; the handle is all that comes back.
type User struct {
	Handle      []byte
	Name        string
	DisplayName string
}

// Creation returns what a browser is asked to make a passkey. site is what devices call the platform; those that
// have one of known make no second.
func (p *Party) Creation(challenge, site string, u User, known []Credential) Creation {
	c := Creation{
		Party: host{ID: p.ID, Name: site}, User: person{ID: text(u.Handle), Name: u.Name, DisplayName: u.DisplayName},
		Challenge: challenge, Timeout: Life.Milliseconds(), Exclude: references(known),
		AuthenticatorSelection: selection{ResidentKey: required, RequireResidentKey: true, UserVerification: required},
		Attestation:            "none",
	}
	for _, alg := range algorithms {
		c.Parameters = append(c.Parameters, parameter{publicKey, alg})
	}
	return c
}

// Request returns what a browser is asked to prove a passkey: one of allowed, or without any whichever its user picks.
func (p *Party) Request(challenge string, allowed []Credential) Request {
	return Request{
		Challenge: challenge, Timeout: Life.Milliseconds(), Party: p.ID, Allow: references(allowed),
		UserVerification: required,
	}
}

func references(list []Credential) []Reference {
	refs := make([]Reference, 0, len(list))
	for _, c := range list {
		refs = append(refs, Reference{publicKey, c.ID, c.Transports})
	}
	return refs
}
