//go:build !linux && !darwin

package osfile

func boot() string { return "" }
