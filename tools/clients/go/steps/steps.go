// Package steps is how a program tells what it did: a line `ok NAME` for each step, in order; the first failure ends it.
package steps

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Step is a name and what is done under it.
type Step struct {
	Name string
	Run  func(context.Context) error
}

// Run ends the process with 1 at the first step that fails.
func Run(ctx context.Context, all []Step) {
	for _, step := range all {
		if err := step.Run(ctx); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", step.Name, err)
			os.Exit(1)
		}
		fmt.Println("ok", step.Name)
	}
}

// Eventually fails with what, if check does not hold within a minute.
func Eventually(ctx context.Context, what string, check func(context.Context) (bool, error)) error {
	if err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, check); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Types are the content types that went over the wire, as "WHAT TYPE".
type Types struct {
	lock sync.Mutex
	seen map[string]bool
}

// Config is that of the kubeconfig, with all defaults; Types listens to it.
func Config() (*rest.Config, *Types, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, nil, err
	}
	types := &Types{seen: map[string]bool{}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return listener{next, types} })
	return config, types, nil
}

// Has tells which of these went over the wire.
func (t *Types) Has(wanted ...string) error {
	t.lock.Lock()
	defer t.lock.Unlock()
	missing := slices.DeleteFunc(wanted, func(each string) bool { return t.seen[each] })
	if len(missing) > 0 {
		return fmt.Errorf("never on the wire: %q", missing)
	}
	return nil
}

type listener struct {
	next  http.RoundTripper
	types *Types
}

func (l listener) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err != nil {
		return response, err
	}
	answer := "answer"
	if request.URL.Query().Get("watch") != "" {
		answer = "watch"
	}
	l.types.lock.Lock()
	defer l.types.lock.Unlock()
	l.types.seen["body "+request.Header.Get("Content-Type")] = true
	l.types.seen[answer+" "+response.Header.Get("Content-Type")] = true
	return response, nil
}
