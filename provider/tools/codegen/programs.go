package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// The program generators by the extension of what they write.
var programGenerators = map[string]func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error){
	".go": gogen.GenerateProgram,
	".py": python.GenerateProgram,
	".ts": nodejs.GenerateProgram,
}

// Translates each program NAME.pp in a folder to NAME.ts, NAME.py and NAME.go next to it.
func generatePrograms(schemaFile, folder string) error {
	sources, err := filepath.Glob(filepath.Join(folder, "*.pp"))
	if err != nil {
		return err
	}
	for _, source := range sources {
		for extension, generate := range programGenerators {
			// Generators modify the bound program and its package.
			options := []pcl.BindOption{}
			if extension == ".go" {
				// Pulumi's Go SDK does not accept a secret result from the other form of a function.
				options = append(options, pcl.PreferOutputVersionedInvokes)
			}
			text, err := translate(schemaFile, source, generate, options...)
			if err != nil {
				return fmt.Errorf("%s to %s: %w", source, extension, err)
			}
			if err := os.WriteFile(strings.TrimSuffix(source, ".pp")+extension, text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func translate(
	schemaFile, source string, generate func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error),
	options ...pcl.BindOption,
) ([]byte, error) {
	pkg, err := bind(schemaFile)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	parser := syntax.NewParser()
	if err := parser.ParseFile(bytes.NewReader(text), filepath.Base(source)); err != nil {
		return nil, err
	}
	if len(parser.Diagnostics) > 0 {
		return nil, parser.Diagnostics
	}
	program, diagnostics, err := pcl.BindProgram(parser.Files, packageLoader{pkg: pkg}, options...)
	if err != nil {
		return nil, err
	}
	if len(diagnostics) > 0 {
		return nil, diagnostics
	}
	files, diagnostics, err := generate(program)
	if err != nil {
		return nil, err
	}
	if len(diagnostics) > 0 {
		return nil, diagnostics
	}
	for _, text := range files {
		text = noArguments.ReplaceAll(text, []byte("$1)"))
		return plainInvoke.ReplaceAll(text, []byte("$1 := ${2}Output(ctx)\n")), nil
	}
	return nil, errors.New("nothing was generated")
}

// The generators pass an empty object to functions that take no arguments, which does not compile in Go.
var noArguments = regexp.MustCompile(`(\.[Gg]etPartnerWebhooks\((?:ctx)?)(?:, map\[string\]interface{}{}, nil|{})\)`)

// The generator for Go ignores PreferOutputVersionedInvokes for functions that take no arguments, except in the code that uses the
// result.
var plainInvoke = regexp.MustCompile(`(\w+), err := (partners\.GetPartnerWebhooks)\(ctx\)\s+if err != nil {\s+return err\s+}\n`)

// Loads the only package that the programs use.
type packageLoader struct {
	schema.ReferenceLoader
	pkg *schema.Package
}

func (l packageLoader) LoadPackageV2(_ context.Context, wanted *schema.PackageDescriptor) (*schema.Package, error) {
	if wanted.Name != l.pkg.Name {
		return nil, fmt.Errorf("there is no package %s", wanted.Name)
	}
	return l.pkg, nil
}

func (l packageLoader) LoadPackageReferenceV2(
	ctx context.Context, wanted *schema.PackageDescriptor,
) (schema.PackageReference, error) {
	pkg, err := l.LoadPackageV2(ctx, wanted)
	if err != nil {
		return nil, err
	}
	return pkg.Reference(), nil
}
