package relay_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"stoa/internal/run/relay"
	"stoa/internal/trust/signing"
)

// Names that proxies, clouds and frameworks know.
const knownClaims = `
True-Client-IP X-Real-IP X-Client-IP Client-IP CF-Connecting-IP CF-Connecting-IPv6 CF-Pseudo-IPv4 Fastly-Client-IP
Fly-Client-IP X-Cluster-Client-IP X-Original-Forwarded-For X-Forwarded X-Forwarded-For X-Forwarded-Host
X-Forwarded-Proto X-Forwarded-Port X-Forwarded-Prefix X-Forwarded-Server X-Forwarded-Scheme X-Forwarded-Ssl
X-Forwarded-User X-Forwarded-Client-Cert Forwarded Forwarded-For Forwarded-Proto X-Forward-For X-Vercel-Forwarded-For
Z-Forwarded-For X-ProxyUser-IP WL-Proxy-Client-IP Proxy-Client-IP HTTP_CLIENT_IP HTTP_X_FORWARDED_FOR X-Originating-IP
X-Remote-IP X-Remote-Addr Remote_Addr REMOTE-ADDR X-Remote-Host Remote-User X-Remote-User X-Azure-ClientIP
X-Azure-SocketIP X-Appengine-User-IP X-NF-Client-Connection-IP Ali-CDN-Real-IP Cdn-Src-Ip CloudFront-Viewer-Address
X-Sucuri-ClientIP Incap-Client-IP DO-Connecting-IP X-Envoy-External-Address X-Envoy-Original-Path X-Envoy-Original-Host
X-Original-URL X-Original-URI X-Original-Host X-Original-Method X-Original-Remote-Addr X-Rewrite-URL X-HTTP-Method
X-HTTP-Method-Override X-Method-Override X-Host X-HTTP-Host-Override X-Scheme X-Url-Scheme Front-End-Https
X-SSL-Client-Cert SSL-Client-Cert Client-Cert Client-Cert-Chain X-Client-Cert X-Sendfile-Type X-Accel-Mapping
X-Accel-Redirect X-Script-Name Script-Name Path-Info X-WAWS-Unencoded-URL Via Proxy X_Forwarded_For X.Real.IP
x~client~ip XForwardedFor X-RealIP X-Peer-Address X-True-IP X-Source-IP X-Client-Port X-Edge-Client-IP CF-Visitor
X-ARR-SSL X-ARR-ClientCert X-Amzn-Mtls-Clientcert-Subject X-Auth-Request-User X-Auth-Request-Email
X-Authenticated-Userid X-WebAuth-User X-Goog-Authenticated-User-Email X-MS-Client-Principal X-MS-Client-Principal-Name
X-Amzn-Oidc-Identity CF-Access-Authenticated-User-Email Tailscale-User-Login X_Auth_Request_User`

// Names that clients send on their own behalf.
const ownHeaders = `
Accept Accept-Encoding Accept-Language Authorization Cookie Content-Type Content-Length Content-Encoding DPoP Date ETag
From If-Match If-Modified-Since If-None-Match Idempotency-Key Last-Event-ID Origin Range Referer Sec-Fetch-Site
Sec-Fetch-Dest Sec-WebSocket-Key Sec-WebSocket-Protocol Stripe-Signature User-Agent X-API-Key X-CSRF-Token X-Custom
X-GitHub-Event X-Hub-Signature-256 X-Requested-With X-Shopify-Topic X-Twilio-Signature PayPal-Transmission-Id X-Zip
X-Tip X-VIP X-Shipping X-Membership X-Relationship X-Billing-Address X-Email-Address X-Source X-Client-Version
X-Client-Name X-Remote X-Original X-Trip-Id X-Equipment Webhook-Id Webhook-Signature Priority Upgrade-Insecure-Requests
X-Import X-Report X-Ghost X-Auth-Token X-Auth-Key X-Authorization X-Goog-Channel-Token X-Amz-Date
X-Goog-IAP-JWT-Assertion Cf-Access-Jwt-Assertion X-Amzn-Oidc-Data`

func TestClaimsOfAProxyAreKnown(t *testing.T) {
	t.Parallel()
	for name := range strings.FieldsSeq(knownClaims) {
		if !relay.IsClaim(signing.Fold(name)) {
			t.Errorf("%s reaches plugins", name)
		}
	}
	for name := range strings.FieldsSeq(ownHeaders) {
		if relay.IsClaim(signing.Fold(name)) {
			t.Errorf("%s does not reach plugins", name)
		}
	}
}

// However a vendor combines the words, and whatever stands between them, a name that tells
// somebody's address is a claim.
func TestMadeUpNamesOfAddressesAreClaims(t *testing.T) {
	t.Parallel()
	pick := func(words ...string) string { return words[rand.IntN(len(words))] }
	for range 10_000 {
		sep := pick("-", "_", ".", "~")
		parts := []string{pick("client", "real", "remote", "connecting", "source", "viewer", "peer", "true"), pick("ip", "ipv6", "addr", "address")}
		if rand.IntN(4) == 0 {
			parts = []string{strings.Join(parts, "")}
		}
		if rand.IntN(2) == 0 {
			parts = append([]string{pick("x", "cf", "acme", "http", "wl", "my-cdn")}, parts...)
		}
		if rand.IntN(3) == 0 {
			parts = append(parts, pick("v2", "original", "1"))
		}
		name := strings.Join(parts, sep)
		if rand.IntN(2) == 0 {
			name = strings.ToUpper(name)
		}
		if !relay.IsClaim(signing.Fold(name)) {
			t.Fatalf("%s reaches plugins", name)
		}
	}
}
