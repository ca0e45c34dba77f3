// Command etcd is the store of the reference cluster: one member for the lifetime of a test. It listens on a Unix socket
// only, so it takes no port and whoever may not enter its folder cannot reach it. It does not wait for the disk (no
// fsync): its data are lost in a crash of the machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	dir := flag.String("data-dir", "", "an empty `folder` for the data")
	socket := flag.String("socket", "", "the `path` of the socket to listen on")
	level := flag.String("log-level", "warn", "debug, info, warn or error")
	flag.Parse()
	if err := run(*dir, *socket, *level); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

// run serves until the process is told to end or the server fails.
func run(dir, socket, level string) error {
	if dir == "" || socket == "" {
		return errors.New("-data-dir and -socket are needed")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := embed.StartEtcd(config(dir, socket, level))
	if err != nil {
		return err
	}
	defer server.Close()
	ready := server.Server.ReadyNotify()
	for {
		select {
		case <-ready:
			fmt.Fprintln(os.Stderr, "etcd: ready")
			ready = nil
		case err := <-server.Err():
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

func config(dir, socket, level string) *embed.Config {
	// A member must tell others where it is. There are no others, so nobody listens at this address or dials it.
	nowhere := []url.URL{{Scheme: "http", Host: "127.0.0.1:1"}}
	config := embed.NewConfig()
	config.Dir = dir
	config.UnsafeNoFsync = true
	config.LogLevel = level
	// Without it every request counts as slow and is logged.
	config.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Path: socket}}
	config.AdvertiseClientUrls = nowhere
	config.ListenPeerUrls = nil
	config.AdvertisePeerUrls = nowhere
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	return config
}
