package main

// outputs are what stoa writes and sends, with what clients sent in it.
var outputs = []mutant{
	{
		name: "queries-are-logged", t: is(108),
		edit:  at("api/middleware.go", `slog.String("path", «r.URL.Path»), slog.Int`, `mutantIf($ON, r.URL.RequestURI(), $OLD)`),
		tests: attacks("TestNoSecretIsStoredLoggedOrAnswered"),
	},
	{
		name: "queries-are-traced", t: is(108),
		edit:  at("api/middleware.go", `span.Text("http.route", «route»)`, `mutantIf($ON, r.URL.RequestURI(), $OLD)`),
		tests: attacks("TestNoSecretIsStoredLoggedOrAnswered"),
	},
	{
		name: "queries-are-metrics", t: is(108),
		edit:  at("api/middleware.go", `s.Observe(«r.Pattern», seen`, `mutantIf($ON, r.URL.RequestURI(), $OLD)`),
		tests: attacks("TestNoSecretIsStoredLoggedOrAnswered"),
	},
	{
		name: "master-key-in-every-backup", t: is(108),
		edit:  at("keep/backup/take.go", `text := t.masterKeys(); «encrypted» && text`, `($OLD || $ON)`),
		tests: attacks("TestNoSecretIsStoredLoggedOrAnswered"),
	},
	{
		name: "links-are-kept-as-they-are", t: is(108),
		edit:  at("base/ids/linktoken.go", `return «hex.EncodeToString(sum[:])»`, `mutantIf($ON, token, $OLD)`),
		tests: attacks("TestNoSecretIsStoredLoggedOrAnswered"),
	},
}
