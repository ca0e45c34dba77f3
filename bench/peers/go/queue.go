package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const warmRounds, rounds = 50, 300

func queue(kind string) error {
	keys := make([]reconcile.Request, 1000)
	for i := range keys {
		keys[i] = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "namespace", Name: fmt.Sprintf("object-%d", i)}}
	}
	var q workqueue.TypedRateLimitingInterface[reconcile.Request]
	if kind == "priority" {
		q = priorityqueue.New[reconcile.Request]("bench")
	} else {
		q = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	}
	cycle := func(n int) {
		for i := 0; i < n; i++ {
			for _, key := range keys {
				q.Add(key)
			}
			for range keys {
				item, _ := q.Get()
				q.Done(item)
			}
		}
	}
	cycle(warmRounds)
	cpu := processorTime()
	cycle(rounds)
	used := processorTime() - cpu
	return tell(map[string]float64{"perSecond": float64(rounds*len(keys)) / (used / 1000)})
}
