package settings

// Storage says where the data of the shop is: for every command that opens the database.
type Storage struct {
	Data        string `type:"path"`
	DatabaseURL string
	StorageURL  string
}

var storageRows = []Setting{
	{
		Flag: "data", Env: "STOA_DATA", Default: "data",
		Help: "Folder for the database (with SQLite), package files and media. Created if missing.",
	},
	{
		Flag: "database-url", Env: "STOA_DATABASE_URL", Placeholder: "URL", File: true,
		Help: "postgres:// URL or path of a SQLite file. Without it: the database of the last stoa serve on the data " +
			"folder, at first stoa.db in it. A URL with a password is refused on the command line: use the variable, " +
			"or name a file with it in STOA_DATABASE_URL_FILE.",
	},
	{
		Flag: "storage-url", Env: "STOA_STORAGE_URL", Placeholder: "URL",
		Help: "Where package files and media are: s3://bucket/prefix?endpoint=…&region=… (docs/storage.md), of which " +
			"the data folder is a cache, or disk for the data folder itself. Without it: that of the last stoa serve " +
			"on the data folder, at first disk.",
	},
}
