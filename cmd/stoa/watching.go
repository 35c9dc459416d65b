package main

import "stoa/internal/app"

// watching are the flags that say what is told of calls to plugins.
type watching struct {
	MetricsInstallations int `help:"How many installations of plugins have metrics of their own: those that were called most, 1000 at the most. 0 means none." default:"100" env:"STOA_METRICS_INSTALLATIONS"`
}

func (w watching) apply(cfg *app.Config) { cfg.MetricsInstallations = w.MetricsInstallations }
