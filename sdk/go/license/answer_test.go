package license_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stoa.example/sdk/go/license"
)

func TestAnswers(t *testing.T) {
	t.Parallel()

	v := readVectors(t)
	keys := mustKeys(t, v)
	for _, tt := range v.Answers {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()

			got, err := license.VerifyAnswer(keys, answerOf(t, tt), tt.Nonce)
			if tt.Created == 0 {
				if !errors.Is(err, license.ErrUnsigned) || !got.IsZero() {
					t.Errorf("VerifyAnswer = %s, %v; want ErrUnsigned", got, err)
				}
			} else if err != nil || got.Unix() != tt.Created {
				t.Errorf("VerifyAnswer = %s, %v; want %s", got, err, at(tt.Created))
			}
		})
	}
}

// RFC 9421, B.2.6.
func TestTheSignatureBaseMatchesTheRFC(t *testing.T) {
	t.Parallel()

	x, err := base64.RawURLEncoding.DecodeString("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs")
	if err != nil {
		t.Fatal(err)
	}
	const input = `("date" "@method" "@path" "@authority" "content-type" "content-length")` +
		`;created=1618884473;keyid="test-key-ed25519"`
	const signature = "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
	base := strings.Join([]string{
		`"date": Tue, 20 Apr 2021 02:07:55 GMT`, `"@method": POST`, `"@path": /foo`, `"@authority": example.com`,
		`"content-type": application/json`, `"content-length": 18`, `"@signature-params": ` + input,
	}, "\n")
	h := http.Header{
		"Date": {"Tue, 20 Apr 2021 02:07:55 GMT"}, "Content-Type": {"application/json"}, "Content-Length": {"18"},
		"Signature-Input": {"sig-b26=" + input},
		"Signature":       {"sig-b26=:" + signature + ":"},
	}
	u := &url.URL{Scheme: "https", Host: "example.com", Path: "/foo", RawQuery: "param=Value&Pet=dog"}
	if err := license.CheckRFCVector(x, base, h, u); err != nil {
		t.Error(err)
	}
}
