//go:build !older

package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/component-base/version"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"pintle.example/conformance/kube/facts"
)

// writeFacts starts a server that serves everything this version has, writes what is known of it, and ends.
func writeFacts(file string, arguments []string, identity *Identity, server *Server) error {
	config, err := startOpen(arguments, server)
	if err != nil {
		return err
	}
	if err := server.WaitUntilReady(time.Minute); err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	ask := func(path, accept string) (*http.Response, error) {
		request, err := http.NewRequest(http.MethodGet, server.Address()+path, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", accept)
		request.Header.Set("Authorization", "Bearer "+identity.token)
		return client.Do(request)
	}
	text, err := facts.Collect(version.Get().GitVersion, config, ask)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// startOpen starts kube-apiserver as its command does, but keeps its configuration in reach.
func startOpen(arguments []string, server *Server) (app.CompletedConfig, error) {
	none := app.CompletedConfig{}
	run := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	for _, set := range run.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	// Versions and features that a default server leaves off have facts too.
	arguments = append(arguments, "--runtime-config=api/all=true", "--feature-gates=AllAlpha=true,AllBeta=true")
	if err := flags.Parse(arguments); err != nil {
		return none, err
	}
	if err := run.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return none, err
	}
	complete, err := run.Complete(context.Background())
	if err != nil {
		return none, err
	}
	config, err := app.NewConfig(complete)
	if err != nil {
		return none, err
	}
	completed, err := config.Complete()
	if err != nil {
		return none, err
	}
	chain, err := app.CreateServerChain(completed)
	if err != nil {
		return none, err
	}
	prepared, err := chain.PrepareRun()
	if err != nil {
		return none, err
	}
	go func() { server.failed <- prepared.Run(context.Background()) }()
	return completed, nil
}
