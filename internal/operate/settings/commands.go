package settings

// commandRows are the flags of single commands, whose fields are in cmd/stoa.
var commandRows = []Setting{
	{
		Command: "admin create", Flag: "email", Env: "STOA_ADMIN_EMAIL", Placeholder: "ADDRESS", Required: true,
		Help: "E-mail address to sign in with.",
	},
	{
		Command: "admin create", Flag: "username", Env: "STOA_ADMIN_USERNAME",
		Help: "Display name. Without it: the part of the e-mail address before the @.",
	},
	{
		Command: "admin create", Flag: "password-stdin", Env: "STOA_ADMIN_PASSWORD_STDIN",
		Help: "Read the password from the first line of standard input. Without it and without STOA_ADMIN_PASSWORD, a " +
			"password is generated and printed.",
	},
	{
		Command: "admin invite", Flag: "email", Env: "STOA_INVITE_EMAIL", Placeholder: "ADDRESS", Required: true,
		Help: "E-mail address of whoever is invited.",
	},
	{
		Command: "admin invite", Flag: "role", Env: "STOA_INVITE_ROLE", Placeholder: "ROLE", Required: true,
		Help: "Role that accepting gives, such as SUPPORT.",
	},
	{
		Command: "admin invite", Flag: "public-url", Env: "STOA_PUBLIC_URL", Placeholder: "URL",
		Default: "http://localhost:8080", Help: "Address of the platform, with which the link begins.",
	},
	{
		Command: "admin promote", Flag: "email", Env: "STOA_PROMOTE_EMAIL", Placeholder: "ADDRESS", Required: true,
		Help: "E-mail address of the user.",
	},
	{
		Command: "admin reset-password", Flag: "email", Env: "STOA_RESET_EMAIL", Placeholder: "ADDRESS", Required: true,
		Help: "E-mail address of the user.",
	},
	{
		Command: "admin reset-password", Flag: "password-stdin", Env: "STOA_RESET_PASSWORD_STDIN",
		Help: "Read the password from the first line of standard input. Without it and without STOA_ADMIN_PASSWORD, a " +
			"password is generated and printed.",
	},
	{
		Command: "admin reset-second-factor", Flag: "email", Env: "STOA_RESET_FACTOR_EMAIL", Placeholder: "ADDRESS",
		Required: true, Help: "E-mail address of the user.",
	},
	{
		Command: "audit export", Flag: "after", Env: "STOA_AUDIT_AFTER", Default: "0",
		Bounds: numbers(0, anyNumber), Placeholder: "CURSOR",
		Help: "Continue after the entry with this cursor, which the last line of an earlier export names.",
	},
	{
		Command: "audit export", Flag: "from", Env: "STOA_AUDIT_FROM", Placeholder: "TIME",
		Help: "Only entries from this time on, in RFC 3339.",
	},
	{
		Command: "audit export", Flag: "to", Env: "STOA_AUDIT_TO", Placeholder: "TIME",
		Help: "Only entries before this time, in RFC 3339.",
	},
	{
		Command: "backup create", Flag: "backup-dir", Env: "STOA_BACKUP_DIR", Placeholder: "DIR",
		Help: "Folder for the backup, which is named after the time.",
	},
	{
		Command: "backup create", Flag: "backup-url", Env: "STOA_BACKUP_URL", Placeholder: "URL",
		Help: "Object storage for the backup instead of a folder: s3://bucket/prefix?endpoint=…&region=… " +
			"(docs/storage.md).",
	},
	{
		Command: "backup create", Flag: "backup-file", Env: "STOA_BACKUP_FILE", Placeholder: "FILE",
		Help: "File for the backup, instead of a folder. It must not exist.",
	},
	{
		Command: "backup verify", Flag: "scratch", Env: "STOA_BACKUP_SCRATCH", Placeholder: "DIR",
		Help: "Folder for the temporary files, which take as much space as the shop. By default the system's.",
	},
	{
		Command: "healthcheck", Flag: "addr", Env: "STOA_ADDR", Default: "127.0.0.1:8080",
		Help: "Address of the public API, as given to stoa serve.",
	},
	{
		Flag: "purpose", Env: "STOA_KEYS_PURPOSE", Default: "account", Values: "account,license,plugin,market",
		Help: "Which keys: account keys sign users' tokens; license keys sign license answers and leases; plugin keys " +
			"sign the tokens with which plugins call the platform API; market keys sign what other stoas install from here.",
	},
	{
		Command: "keys rotate", Flag: "now", Env: "STOA_KEYS_ROTATE_NOW",
		Help: "Rotate even if the next key has not been published long enough (15 minutes for account and plugin keys, " +
			"30 days for license keys). Verifiers with an older copy of the public keys may refuse new signatures.",
	},
	{
		Command: "keys rewrap", Flag: "wait", Env: "STOA_REWRAP_WAIT", Default: "2m",
		Help: "How long to wait for running processes to learn of the new key.",
	},
	{
		Command: "keys rewrap", Flag: "settle", Env: "STOA_REWRAP_SETTLE", Default: "30s",
		Help: "Time from when all processes seal with the new key to the last pass over the database: longer than any " +
			"transaction takes.",
	},
	{
		Command: "keys rewrap", Flag: "reuse-old-key", Env: "STOA_REWRAP_REUSE_OLD_KEY",
		Help: "Put a key back that an earlier rewrap replaced.",
	},
	{
		Command: "market init", Flag: "root", Env: "STOA_MARKET_ROOT", Placeholder: "FILE", Required: true,
		Help: "File for a new root key, which must not exist. Repeat it for several keys.",
	},
	{
		Command: "market init", Flag: "threshold", Env: "STOA_MARKET_THRESHOLD", Default: "1", Bounds: numbers(1, 16),
		Help: "How many of the root keys sign each later root: {bounds}, and no more than there are.",
	},
	{
		Command: "market root renew", Flag: "root", Env: "STOA_MARKET_ROOT", Placeholder: "FILE", Required: true,
		Help: "File with a root key. Repeat it for as many keys as the market needs.",
	},
	{
		Command: "migrate", Flag: "check", Env: "STOA_MIGRATE_CHECK",
		Help: "Change nothing; exit with 1 if migrations are pending.",
	},
	{
		Command: "migrate", Flag: "plan", Env: "STOA_MIGRATE_PLAN",
		Help: "Change nothing; print which migrations are pending, how long they take and what they lock.",
	},
	{
		Command: "migrate", Flag: "rows", Env: "STOA_MIGRATE_ROWS", Placeholder: "TABLE=NUMBER",
		Help: "With --plan: how many rows tables have, as table=number, instead of counting them.",
	},
	{
		Command: "migrate", Flag: "json", Env: "STOA_MIGRATE_JSON",
		Help: "With --plan: print JSON.",
	},
	{
		Command: "package sign", Flag: "key", Env: "STOA_SIGNING_KEY", Placeholder: "FILE", Required: true,
		Help: "File with the private key (stoa package keygen; any Ed25519 key in PKCS #8 PEM).",
	},
	{
		Command: "package sign", Flag: "out", Env: "STOA_SIGNED_ARCHIVE", Placeholder: "FILE",
		Help: "File to write the signed archive to. Without it, ARCHIVE is replaced.",
	},
	{
		Command: "passwords build", Flag: "from", Env: "STOA_PASSWORDS_FROM", Placeholder: "FILE", Required: true,
		Help: "The list: lines HASH:COUNT, with SHA-1 hashes in hexadecimal, ordered by hash.",
	},
	{
		Command: "passwords build", Flag: "min-count", Env: "STOA_PASSWORDS_MIN_COUNT", Default: "10",
		Bounds: numbers(0, anyNumber),
		Help:   "Leave out passwords that were seen less often.",
	},
	{
		Command: "passwords build", Flag: "out", Env: "STOA_PASSWORDS_OUT", Placeholder: "FILE", Required: true,
		Help: "The filter file to write. An older one is replaced, also while stoa runs with it.",
	},
	{
		Command: "plugin dev", Flag: "addr", Env: "STOA_DEV_ADDR", Default: "127.0.0.1:4300",
		Help: "Address to listen on. Loopback only: it runs code from a folder.",
	},
	{
		Command: "plugin dev", Flag: "config", Env: "STOA_DEV_CONFIG", Placeholder: "FILE",
		Help: "JSON file with the config of the instance; read again when it changes.",
	},
	{
		Command: "plugin dev", Flag: "event", Env: "STOA_DEV_EVENTS", Placeholder: "TYPE",
		Help: "Types of events, such as order.paid, that are published with made-up data each time the plugin is loaded.",
	},
	{
		Command: "plugin dev", Flag: "upgrade-from", Env: "STOA_DEV_UPGRADE_FROM", Placeholder: "FOLDER",
		Help: "Folder of an earlier version, which is installed first: the plugin is then loaded as an upgrade.",
	},
	{
		Command: "plugin dev", Flag: "node", Env: "STOA_NODE", Default: "node",
		Help: "Node.js (20.19 or newer) that runs the plugin.",
	},
	{
		Command: "storage move", Flag: "from", Env: "STOA_STORAGE_FROM", Placeholder: "URL", Required: true,
		Help: "Where the files are: disk for the data folder, or s3://bucket/prefix?endpoint=…&region=….",
	},
	{
		Command: "storage move", Flag: "to", Env: "STOA_STORAGE_TO", Placeholder: "URL", Required: true,
		Help: "Where they should be, like --from.",
	},
}
