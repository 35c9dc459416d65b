package app

import (
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/theme"
)

// mediaFolder is the folder of pictures in the data folder.
const mediaFolder = "media"

// copiesFolder is the folder of copies of accounts.
const copiesFolder = "exports"

// FlatFolders returns those of DataFolders whose files are named by their hash.
func FlatFolders() []string { return []string{mediaFolder} }

// DataFolders returns the folders in the data folder whose files the database refers to. They
// belong in a backup.
func DataFolders() []string {
	folders := []string{bundle.Registry{}.Folder(), install.MarketDir, mediaFolder, plugin.Registry{}.Folder()}
	for _, kind := range theme.Kinds() {
		folders = append(folders, theme.Registry{Kind: kind}.Folder())
	}
	return folders
}
