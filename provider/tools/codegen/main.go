// Command codegen binds the schema of a package as the engine does, and generates SDKs and programs from it
// without a language host.
//
//	codegen SCHEMA                              # fails with the diagnostics of the schema, including warnings
//	codegen SCHEMA python FOLDER [go FOLDER ...]
//	codegen SCHEMA programs FOLDER              # translates each NAME.pp to NAME.ts, NAME.py and NAME.go
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-partners"

// Never called: the schema does not refer to other packages.
var loader = struct{ schema.ReferenceLoader }{}

var generators = map[string]func(*schema.Package) (map[string][]byte, error){
	"go": func(pkg *schema.Package) (map[string][]byte, error) {
		return gogen.GeneratePackage(tool, pkg, nil)
	},
	"nodejs": func(pkg *schema.Package) (map[string][]byte, error) {
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, loader)
	},
	"python": func(pkg *schema.Package) (map[string][]byte, error) {
		return python.GeneratePackage(tool, pkg, nil, loader)
	},
}

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string, wanted []string) error {
	for i := 0; i+1 < len(wanted); i += 2 {
		if wanted[i] == "programs" {
			if err := generatePrograms(file, wanted[i+1]); err != nil {
				return err
			}
			continue
		}
		// Generators modify the bound package.
		pkg, err := bind(file)
		if err != nil {
			return err
		}
		files, err := generators[wanted[i]](pkg)
		if err != nil {
			return fmt.Errorf("%s: %w", wanted[i], err)
		}
		if err := write(wanted[i+1], files); err != nil {
			return err
		}
	}
	_, err := bind(file)
	return err
}

func bind(file string) (*schema.Package, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, loader, schema.ValidationOptions{})
	if err == nil && len(diagnostics) > 0 {
		err = diagnostics
	}
	return pkg, err
}

func write(folder string, files map[string][]byte) error {
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
