package main

import (
	"context"
	"errors"
	"net/url"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
)

// Etcd is a single-member etcd in this process.
type Etcd struct {
	server *embed.Etcd
}

func startEtcd(folder string, fsync bool) (*Etcd, error) {
	anyPort, err := url.Parse("http://127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	config := embed.NewConfig()
	config.Dir = folder
	config.ListenClientUrls = []url.URL{*anyPort}
	config.AdvertiseClientUrls = []url.URL{*anyPort}
	config.ListenPeerUrls = []url.URL{*anyPort}
	config.AdvertisePeerUrls = []url.URL{*anyPort}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.LogLevel = "error"
	// Tests do not survive a power cut, and neither need their data; who measures writes may want it otherwise.
	config.UnsafeNoFsync = !fsync
	server, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-server.Server.ReadyNotify():
		return &Etcd{server}, nil
	case <-time.After(30 * time.Second):
		server.Close()
		return nil, errors.New("not ready within 30 s")
	}
}

// Address is where clients reach it.
func (etcd *Etcd) Address() string {
	return "http://" + etcd.server.Clients[0].Addr().String()
}

// Compact forgets everything before the present and returns the revision of the present.
func (etcd *Etcd) Compact(ctx context.Context) (int64, error) {
	revision := etcd.server.Server.KV().Rev()
	_, err := etcd.server.Server.Compact(ctx, &pb.CompactionRequest{Revision: revision, Physical: true})
	if errors.Is(err, mvcc.ErrCompacted) {
		// Another request has just asked for the same.
		return revision, nil
	}
	return revision, err
}

// Close stops it.
func (etcd *Etcd) Close() {
	etcd.server.Close()
}
