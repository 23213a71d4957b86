//go:build older

package main

import "errors"

// writeFacts is for the newest version: the tables are of that one, and the registry of an older one has other signatures.
func writeFacts(string, []string, *Identity, *Server) error {
	return errors.New("facts are collected from the newest Kubernetes only; build without -tags older")
}
