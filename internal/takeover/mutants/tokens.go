package main

var (
	believed  = of("internal/account/federated", "TestIDTokensAreNotBelievedUnlessAllIsRight")
	published = of("internal/account/federated", "TestADiscoveryThatIsNotTheIssuersIsRefused")
)

// tokens are mutants of what is believed of a provider: its ID tokens, and what it publishes.
var tokens = []mutant{
	{
		name: "token-of-another-issuer", t: is(86),
		edit:  at("account/federated/idtoken.go", `«Now: c.now,»`, `$OLD SkipIssuerCheck: $ON,`),
		also:  []edit{at("account/federated/idtoken.go", `case «token.Issuer != p.Issuer»:`, `$OLD && !$ON`)},
		tests: believed,
	},
	{
		name: "token-for-another-client", t: is(86),
		edit:  at("account/federated/idtoken.go", `«Now: c.now,»`, `$OLD SkipClientIDCheck: $ON,`),
		also:  []edit{at("account/federated/idtoken.go", `«said.Client == "" && !slices.Equal(token.Audience, []string{p.ClientID})»:`, `$OLD && !$ON`)},
		tests: believed,
	},
	{
		name: "token-for-other-clients-too", t: is(86),
		edit:  at("account/federated/idtoken.go", `«said.Client == "" && !slices.Equal(token.Audience, []string{p.ClientID})»:`, `$OLD && !$ON`),
		tests: believed,
	},
	{
		name: "token-of-another-party", t: is(86),
		edit:  at("account/federated/idtoken.go", `case «said.Client != "" && said.Client != p.ClientID»,`, `$OLD && !$ON`),
		tests: believed,
	},
	{
		name: "token-of-another-sign-in", t: is(86),
		edit:  at("account/federated/idtoken.go", `case nonce == "" || «subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1»:`, `$OLD && !$ON`),
		tests: believed,
	},
	{
		name: "token-expired", t: is(86),
		edit:  at("account/federated/idtoken.go", `«Now: c.now,»`, `$OLD SkipExpiryCheck: $ON,`),
		tests: believed,
	},
	{
		name: "token-of-long-ago", t: is(86),
		edit:  at("account/federated/idtoken.go", `case «token.IssuedAt.Before(now.Add(-tokenAge))» ||`, `$OLD && !$ON`),
		tests: believed,
	},
	{
		name: "token-from-the-future", t: is(86),
		edit:  at("account/federated/idtoken.go", `|| «token.IssuedAt.After(now.Add(ClockSkew))»:`, `$OLD && !$ON`),
		tests: believed,
	},
	{
		name: "token-of-nobody", t: is(86),
		edit:  at("account/federated/idtoken.go", `case «said.Subject == ""» ||`, `$OLD && !$ON`),
		tests: believed,
	},
	{
		name: "token-of-another-access", t: is(86),
		edit:  at("account/federated/idtoken.go", `case «token.AccessTokenHash != ""»:`, `$OLD && !$ON`),
		tests: believed,
	},
	{
		name: "token-signed-by-anybody", t: is(86),
		edit:  at("account/federated/idtoken.go", `«signed.Verify(key.Key)»; err`, "func() ([]byte, error) {\n\t\t\tif $ON {\n\t\t\t\treturn signed.UnsafePayloadWithoutVerification(), nil\n\t\t\t}\n\t\t\treturn $OLD\n\t\t}()"),
		tests: believed,
	},
	{
		name: "token-of-any-algorithm", t: is(86),
		edit:  at("account/federated/issuer.go", `if «slices.Contains(m.Algorithms, string(a))» {`, `$OLD || $ON`),
		tests: believed,
	},
	{
		name: "userinfo-about-somebody-else", t: is(86),
		edit:  at("account/federated/idtoken.go", `if «more.Subject != said.Subject» {`, `$OLD && !$ON`),
		tests: believed,
	},
	{
		name: "discovery-of-another-issuer", t: is(87),
		edit:  at("account/federated/issuer.go", `if «m.Issuer != asked» {`, `$OLD && !$ON`),
		tests: published,
	},
	{
		name: "discovery-of-any-endpoint", t: is(87),
		edit:  at("account/federated/issuer.go", `if «u.Scheme == "https" ||`+` u.Scheme == "http" && strings.HasPrefix(issuer, "http://") && local(u)» {`, `$OLD || $ON`),
		tests: published,
	},
	{
		name: "discovery-with-a-user", t: is(87),
		edit:  at("account/federated/issuer.go", `|| «u.User != nil» || u.Fragment != "" {`, `$OLD && !$ON`),
		tests: published,
	},
	{
		name: "discovery-that-redirects", t: is(87),
		edit:  at("account/federated/federated.go", `return «http.ErrUseLastResponse» }`, `mutantIf[error]($ON, nil, $OLD)`),
		tests: published,
	},
	{
		name: "discovery-without-end", t: is(87),
		edit:  at("account/federated/issuer.go", `&limitedBody{res.Body, «maxAnswer»}`, `mutantIf[int64]($ON, 1<<40, $OLD)`),
		tests: published,
	},
	{
		name: "errors-with-secrets", t: is(90),
		edit:  at("account/federated/federated.go", `fmt.Errorf("token endpoint: %w", «withoutBody(err)»)`, `mutantIf($ON, err, $OLD)`),
		tests: of("internal/account/federated", "TestErrorsOfProvidersHoldNoSecrets"),
	},
}
