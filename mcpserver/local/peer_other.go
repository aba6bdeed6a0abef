//go:build !linux && !darwin && !windows

package local

import "errors"

func credentials(int) (peer, error) { return peer{}, errors.ErrUnsupported }

func processOf(int) (process, error) { return process{}, errors.ErrUnsupported }

func commandOf(int) string { return "" }

func boot() string { return "" }
