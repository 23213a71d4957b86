package main

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// cluster is the bench that serves the pods: it does what the measurement wants to happen next.
type cluster struct{ address string }

// changeAll changes every pod; nobody is told.
func (c *cluster) changeAll() error { return c.ask("change-all") }

// sendChanges sends every pod's change on the watch that is open.
func (c *cluster) sendChanges() error { return c.ask("send-changes") }

// expireWatch ends the watch that is open, so that its client lists again.
func (c *cluster) expireWatch() error { return c.ask("expire-watch") }

// awaitWatch returns once a watch is open.
func (c *cluster) awaitWatch() error {
	for c.ask("is-watched") != nil {
		time.Sleep(time.Millisecond)
	}
	return nil
}

func (c *cluster) ask(what string) error {
	response, err := http.Post("http://"+c.address+"/control/"+what, "", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", what, response.Status)
	}
	return nil
}
