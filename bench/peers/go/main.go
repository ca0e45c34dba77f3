// The same work as bench/runtime, done with client-go and controller-runtime.
//
//	peer sync KUBECONFIG list|watch-list typed|untyped COUNT
//	peer queue fifo|priority
//	peer reconcile KUBECONFIG none|status COUNT
//	peer webapp KUBECONFIG update|apply WORKERS
//
// Each prints one line of JSON; webapp runs until SIGTERM, as an operator does.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("peer sync|queue|reconcile|webapp ...")
	}
	switch args[0] {
	case "sync":
		count, _ := strconv.Atoi(args[4])
		return sync(args[1], args[2], args[3] == "typed", count)
	case "queue":
		return queue(args[1])
	case "reconcile":
		count, _ := strconv.Atoi(args[3])
		return reconcileAll(args[1], args[2] == "status", count)
	case "webapp":
		workers, _ := strconv.Atoi(args[3])
		return runWebApps(args[1], args[2] == "apply", workers)
	}
	return fmt.Errorf("%q is not known", args[0])
}

func tell(result map[string]float64) error {
	return json.NewEncoder(os.Stdout).Encode(result)
}

// Milliseconds of processor time of this process so far.
func processorTime() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	ms := func(t syscall.Timeval) float64 { return float64(t.Sec)*1000 + float64(t.Usec)/1000 }
	return ms(usage.Utime) + ms(usage.Stime)
}

func heap() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

func since(start time.Time) float64 {
	return float64(time.Since(start).Microseconds()) / 1000
}
