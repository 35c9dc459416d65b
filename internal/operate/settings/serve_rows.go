package settings

import "time"

var serveRows = []Setting{
	{
		Flag: "addr", Env: "STOA_ADDR", Default: "127.0.0.1:8080",
		Help: "Address of the public API.",
	},
	{
		Flag: "ops-addr", Env: "STOA_OPS_ADDR", Default: "127.0.0.1:8081",
		Help: "Address of /metrics and /debug/pprof, or off. Keep it private. Beyond loopback names it answers only " +
			"with STOA_OPS_TOKEN.",
	},
	{
		Flag: "front", Env: "STOA_FRONT", Default: "on", Values: "on,off",
		Help: "Which server answers plain HTTP/1.1 requests: on for stoa's own loop, which takes less processor time, or " +
			"off for Go's net/http, which answers all others in any case: HTTP/2, WebSockets, chunked bodies, long heads.",
	},
	{
		Flag: "demo", Env: "STOA_DEMO",
		Help: "Start with example products, sales, plugins and an administrator, whose random password is printed once and " +
			"kept in demo/admin-password in the data folder. Loopback addresses only.",
	},
	{
		Flag: "name", Env: "STOA_NAME",
		Help: "The shop's name on pages and in mails, at most 64 characters, while the shop's settings have none. " +
			"Without both, mails name the host of --public-url.",
	},
	{
		Flag: "public-url", Env: "STOA_PUBLIC_URL", Placeholder: "URL",
		Help: "URL at which clients and plugins reach this server. Without it: http:// and the address in --addr.",
	},
	{
		Flag: "allowed-hosts", Env: "STOA_ALLOWED_HOSTS", Placeholder: "HOST",
		Help: "Other host names and IP addresses under which clients reach this server, without ports. The host of " +
			"--public-url and loopback names are always answered; without --public-url, so are the addresses listened " +
			"on.",
	},
	{
		Flag: "cors-origins", Env: "STOA_CORS_ORIGINS", Placeholder: "ORIGIN",
		Help: "Origins whose pages may call the API of shops from a browser, such as https://www.example.com, or * for " +
			"all (docs/browser-apps.md). Without it, only stoa's own pages may.",
	},
	{
		Flag: "stop-delay", Env: "STOA_STOP_DELAY", Default: "0s", Bounds: durations(0, anyDuration),
		Help: "How long to keep accepting requests after a stop signal, while /readyz answers 503. Set it to the time " +
			"your load balancer needs to notice.",
	},
	{
		Flag: "stop-timeout", Env: "STOA_STOP_TIMEOUT", Default: "20s", Bounds: durations(0, anyDuration),
		Help: "How long running requests may take to finish after a stop signal.",
	},
	{
		Flag: "admin-email", Env: "STOA_ADMIN_EMAIL", Placeholder: "ADDRESS",
		Help: "Create this administrator if there is none, with the password in STOA_ADMIN_PASSWORD.",
	},
	{
		Flag: "auth-policy", Env: "STOA_AUTH_POLICY", Values: "standard,asvs",
		Help: "standard (the default), or asvs: then what follows is stricter unless it is set by itself: asvs for " +
			"--password-policy, builtin for --breached-passwords, mail-first for --registration, required for " +
			"--staff-second-factor, 720h and 12h for staff for --session-max, and 30m for --admin-reauth. And whoever " +
			"ends other sessions is asked for a proof to be there.",
	},
	{
		Flag: "password-policy", Env: "STOA_PASSWORD_POLICY", Values: "standard,asvs",
		Help: "Rules for new passwords: standard (at least 6 characters, the default) or asvs (at least 8 characters, not " +
			"easy to guess).",
	},
	{
		Flag: "breached-passwords", Env: "STOA_BREACHED_PASSWORDS", Placeholder: "off|builtin|FILE",
		Help: "Passwords that nobody may choose because attackers try them first: builtin (the list in the binary), a " +
			"filter file of stoa passwords build, or off, the default. With off, people who have one of the list in the " +
			"binary are told so.",
	},
	{
		Flag: "registration", Env: "STOA_REGISTRATION", Values: "open,mail-first,closed",
		Help: "Who may create an account: open (everybody, at once, the default), mail-first (whoever opens a link that is " +
			"mailed to the address), or closed (nobody).",
	},
	{
		Flag: "passkey-rp-id", Env: "STOA_PASSKEY_RP_ID", Placeholder: "HOST",
		Help: "Host name for which browsers make passkeys: that of --public-url, or a domain above it, such as example.com " +
			"for shop.example.com. Passkeys made for another name do not work. Without it, that of --public-url.",
	},
	{
		Flag: "passkey-origins", Env: "STOA_PASSKEY_ORIGINS", Placeholder: "ORIGIN",
		Help: "More origins at or below --passkey-rp-id whose pages may ask for passkeys, such as https://www.example.com.",
	},
	{
		Flag: "session-max", Env: "STOA_SESSION_MAX", Bounds: durations(time.Hour, 365*24*time.Hour),
		Help: "When a session ends, counted from sign-in, whatever is refreshed: a duration from {bounds}, or off, the " +
			"default. Sessions that have begun already count, too.",
	},
	{
		Flag: "admin-reauth", Env: "STOA_ADMIN_REAUTH", Bounds: durations(time.Minute, 24*time.Hour),
		Help: "How long a proof to be there counts before administrators are asked for another, for refunds, " +
			"installations, users, settings, keys and secrets: a duration from {bounds}, or off, the default.",
	},
	{
		Flag: "staff-second-factor", Env: "STOA_STAFF_SECOND_FACTOR",
		Values: "off,encourage,required,passkey",
		Help: "What administrators need besides the password: off (nothing), encourage (the default: nothing, and the " +
			"console suggests a second factor; off with --demo), required (a second factor), or passkey (one that withstands " +
			"phishing, which codes do not).",
	},
	{
		Flag: "new-sign-in-mail", Env: "STOA_NEW_SIGN_IN_MAIL", Values: "on,off",
		Help: "Whether users get a mail about a sign-in with a program, or from a network, with which nobody signed in to " +
			"their account in the last 90 days: on (the default), or off. Without --smtp-url there are no mails.",
	},
	{
		Flag: "email-sign-in", Env: "STOA_EMAIL_SIGN_IN", Values: "on,off",
		Help: "Whether users sign in with a link or a code that is mailed to them: on, or off (the default). Whoever reads " +
			"their mail is in, so it never stands in for a second factor, and staff cannot use it. Without --smtp-url " +
			"nobody can.",
	},
	{
		Flag: "account-deletion-days", Env: "STOA_ACCOUNT_DELETION_DAYS", Default: "14", Bounds: numbers(0, 30),
		Help: "How many days a link in a mail calls the deletion of an account off, {bounds}. With 0, accounts are removed " +
			"at once and without a mail.",
	},
	{
		Flag: "retain-billing", Env: "STOA_RETAIN_BILLING", Default: "87600h", Bounds: durations(0, anyDuration),
		Help: "How long after an order the bill of a deleted account is kept: name, company and e-mail address. 87600h are " +
			"ten years. With 0, they go with the account.",
	},
	{
		Flag: "impersonation", Env: "STOA_IMPERSONATION", Values: "notify,account,off",
		Help: "Whether staff with the right to may see the shop as one of its users does, for half an hour: notify (the " +
			"default; the user, whose address is confirmed, gets a mail), account (the user finds it in the account), or off.",
	},
	{
		Flag: "rate-limits", Env: "STOA_RATE_LIMITS", Default: "on", Values: "on,off",
		Help: "Whether to enforce the API's rate limits: on, or off for load tests.",
	},
	{
		Flag: "redis-url", Env: "STOA_REDIS_URL", Placeholder: "URL", File: true,
		Help: "redis:// URL through which replicas share rate limits. Without it, each counts on its own. With a " +
			"password, use the variable, or name a file with the URL in STOA_REDIS_URL_FILE.",
	},
	{
		Flag: "trusted-proxies", Env: "STOA_TRUSTED_PROXIES", Placeholder: "CIDR",
		Help: "Networks of your own proxies. Their X-Forwarded-For is trusted for the client's address.",
	},
}
