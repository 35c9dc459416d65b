package settings

import "stoa/internal/operate/ops"

// Secrets, which are environment variables only.
var (
	MasterKey = Setting{
		Env: "STOA_MASTER_KEY", Mark: Secret,
		Help: "64 hexadecimal digits that protect the secrets in the database. Without it, a key is generated and " +
			"kept in the data folder. All replicas need the same key.",
	}
	MasterKeyNext = Setting{
		Env: "STOA_MASTER_KEY_NEXT", Mark: Secret,
		Help: "the master key that stoa keys rewrap puts in place of the other one, in the same form (docs/keys.md). " +
			"Without it, the key in master.key.next in the data folder, if there is one, which running processes notice.",
	}
	AdminPassword = Setting{
		Env: "STOA_ADMIN_PASSWORD", Mark: Secret,
		Help: "password that serve gives the administrator it creates for --admin-email; also the password for " +
			"stoa admin create and reset-password.",
	}
	SMTPPassword = Setting{
		Env: "STOA_SMTP_PASSWORD", Mark: Secret,
		Help: "password of the user in --smtp-url.",
	}
	StripeKey = Setting{
		Env: "STOA_STRIPE_SECRET_KEY", Mark: Secret,
		Help: "secret key of the Stripe account that takes live payments: sk_… or a restricted rk_….",
	}
	StripeWebhookSecret = Setting{
		Env: "STOA_STRIPE_WEBHOOK_SECRET", Mark: Secret,
		Help: "signing secret of the webhook endpoint in Stripe's dashboard: whsec_…. Required with the key.",
	}
	OpsToken = Setting{
		Env: "STOA_OPS_TOKEN", Mark: Secret, Bounds: numbers(ops.MinToken, anyNumber),
		Help: "bearer token, {bounds} characters, that --ops-addr then asks for under any host name. Without it, " +
			"--ops-addr answers loopback names only.",
	}
	BackupPassphrase = Setting{
		Env: "STOA_BACKUP_PASSPHRASE", Mark: Secret,
		Help: "passphrase that encrypts backups, and opens them. STOA_BACKUP_RECIPIENTS encrypts without a secret on " +
			"the server.",
	}
	AuditStreamToken = Setting{
		Env: "STOA_AUDIT_STREAM_TOKEN", Mark: Secret,
		Help: "bearer token for the address in --audit-stream.",
	}
	ServiceSecret = Setting{
		Env: "SERVICE_JWT_SECRET", Mark: Secret,
		Help: "shared secret for HS256 service JWTs, at least 32 bytes.",
	}
)

var secretRows = []Setting{
	MasterKey, MasterKeyNext, AdminPassword, SMTPPassword, StripeKey, StripeWebhookSecret, OpsToken, BackupPassphrase,
	AuditStreamToken,
	{
		Env: "AWS_ACCESS_KEY_ID", Mark: Secret,
		Help: "id of the key for s3:// URLs (docs/storage.md).",
	},
	{
		Env: "AWS_SECRET_ACCESS_KEY", Mark: Secret,
		Help: "the secret of that key.",
	},
	{
		Env: "AWS_SESSION_TOKEN", Mark: Secret,
		Help: "the token of that key, if it is temporary.",
	},
	ServiceSecret,
}

// Variables of others that stoa reads itself.
var (
	GCPercent = Setting{
		Env: "GOGC", Mark: Foreign,
		Help: "how much the heap grows before Go collects garbage, in percent. Without it, 400 for stoa serve.",
	}
	MemoryLimit = Setting{
		Env: "GOMEMLIMIT", Mark: Foreign,
		Help: "the memory from which Go collects garbage more often, such as 2GiB. Without it, 1 GiB for stoa serve.",
	}
	NotifySocket = Setting{
		Env: "NOTIFY_SOCKET", Mark: Foreign,
		Help: "the socket on which systemd waits for READY=1 and STOPPING=1.",
	}
)

var foreignRows = []Setting{
	GCPercent, MemoryLimit, NotifySocket,
	{
		Env: "PGPASSWORD", Mark: Foreign,
		Help: "the password of PostgreSQL, if the database's URL has none. PostgreSQL's other variables hold, too.",
	},
	{
		Env: "SSL_CERT_FILE", Mark: Foreign,
		Help: "the authorities that certificates of other servers are checked against, in PEM.",
	},
	{
		Env: "OTEL_EXPORTER_OTLP_ENDPOINT", Mark: Foreign,
		Help: "where --telemetry otlp sends to. OpenTelemetry's other variables hold, too (docs/monitoring.md).",
	},
	{
		Env: "OTEL_SDK_DISABLED", Mark: Foreign,
		Help: "true turns --telemetry off.",
	},
}
