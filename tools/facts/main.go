// Writes encoding.json: how the Go types behind the built-in resources are written as JSON.
// For each type, its fields in order as [json name, rule, Go type]:
// rule "a" always written, "s" written when set (pointer), "n" dropped when zero.
// A struct type's own Go name stands under "".
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var types = map[string]any{}

// The name under which OpenAPI knows a Go type.
func openAPIName(t reflect.Type) string {
	path := t.PkgPath()
	slash := strings.Index(path, "/")
	host := strings.Split(path[:slash], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	return strings.Join(host, ".") + "." + strings.ReplaceAll(path[slash+1:], "/", ".") + "." + t.Name()
}

func rule(t reflect.Type, options []string) string {
	omitEmpty, omitZero := false, false
	for _, o := range options {
		omitEmpty = omitEmpty || o == "omitempty"
		omitZero = omitZero || o == "omitzero"
	}
	switch {
	case omitZero:
		return "n"
	case !omitEmpty:
		return "a"
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return "s"
	case t.Kind() == reflect.Struct:
		return "a"
	default:
		return "n"
	}
}

func fields(t reflect.Type) [][3]string {
	out := [][3]string{}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("json"), ",")
		if tag[0] == "-" || (!f.IsExported() && !f.Anonymous) {
			continue
		}
		if f.Anonymous && tag[0] == "" {
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			out = append(out, fields(embedded)...)
			visitMembers(embedded)
			continue
		}
		out = append(out, [3]string{tag[0], rule(f.Type, tag[1:]), f.Type.String()})
		visit(f.Type)
	}
	return out
}

func visitMembers(t reflect.Type) {
	for i := 0; i < t.NumField(); i++ {
		if t.Field(i).IsExported() {
			visit(t.Field(i).Type)
		}
	}
}

func visit(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		visit(t.Elem())
	case reflect.Map:
		visit(t.Elem())
	case reflect.Struct:
		if !strings.Contains(t.PkgPath(), "k8s.io/") {
			return
		}
		name := openAPIName(t)
		if _, seen := types[name]; seen {
			return
		}
		if t.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
			return
		}
		types[name] = nil
		types[name] = map[string]any{"go": t.Name(), "fields": fields(t)}
	}
}

func main() {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	known := map[string]bool{}
	raw, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var schemas map[string]any
	if err := json.Unmarshal(raw, &schemas); err != nil {
		panic(err)
	}
	for name := range schemas {
		known[name] = true
	}
	for _, t := range s.AllKnownTypes() {
		if known[openAPIName(t)] {
			visit(t)
		}
	}
	names := []string{}
	for name := range types {
		if known[name] && types[name] != nil {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	os.Stdout.WriteString("{\n")
	for i, name := range names {
		os.Stdout.WriteString("\"" + name + "\": ")
		b, _ := json.Marshal(types[name])
		os.Stdout.Write(b)
		if i < len(names)-1 {
			os.Stdout.WriteString(",")
		}
		os.Stdout.WriteString("\n")
	}
	os.Stdout.WriteString("}\n")
}
