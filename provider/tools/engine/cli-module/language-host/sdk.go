package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/pulumi/pulumi/sdk/v3/python/toolchain"
)

const tool = "pulumi-partners"

// GeneratePackage generates an SDK from a schema.
func (h *host) GeneratePackage(
	_ context.Context, r *pulumirpc.GeneratePackageRequest,
) (*pulumirpc.GeneratePackageResponse, error) {
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(r.Schema), &spec); err != nil {
		return nil, err
	}
	// The loader is never called: the schema does not refer to other packages.
	loader := struct{ schema.ReferenceLoader }{}
	pkg, diagnostics, err := schema.BindSpec(spec, loader, schema.ValidationOptions{})
	if err == nil && len(diagnostics) > 0 {
		err = diagnostics
	}
	if err != nil {
		return nil, err
	}
	var files map[string][]byte
	switch h.language {
	case "go":
		files, err = gogen.GeneratePackage(tool, pkg, r.LocalDependencies)
	case "nodejs":
		files, err = nodejs.GeneratePackage(tool, pkg, r.ExtraFiles, r.LocalDependencies, r.Local, loader)
	default:
		files, err = python.GeneratePackage(tool, pkg, r.ExtraFiles, loader)
	}
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		path := filepath.Join(r.Directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
	}
	return &pulumirpc.GeneratePackageResponse{}, nil
}

// Link adds generated SDKs to the dependencies of a program.
func (h *host) Link(ctx context.Context, r *pulumirpc.LinkRequest) (*pulumirpc.LinkResponse, error) {
	dir := r.Info.ProgramDirectory
	for _, linked := range r.Packages {
		folder := filepath.Join(r.Info.RootDirectory, linked.Path)
		relative, err := filepath.Rel(dir, folder)
		if err != nil {
			return nil, err
		}
		switch h.language {
		case "go":
			name, listErr := run(folder, "go", "list", "-m")
			_, err = run(dir, "go", "mod", "edit", "-replace", name+"=./"+relative)
			err = errors.Join(listErr, err)
		case "nodejs":
			_, err = run(dir, "npm", "install", "./"+relative)
		default:
			python, pythonErr := pythonOf(r.Info)
			if pythonErr != nil {
				return nil, pythonErr
			}
			err = python.LinkPackages(ctx, map[string]string{"pulumi_" + linked.Package.Name: relative})
		}
		if err != nil {
			return nil, err
		}
	}
	return &pulumirpc.LinkResponse{}, nil
}

// InstallDependencies installs what a program or a plugin needs.
func (h *host) InstallDependencies(
	r *pulumirpc.InstallDependenciesRequest, stream pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	dir := r.Info.ProgramDirectory
	switch h.language {
	case "go":
		_, err := run(dir, "go", "mod", "tidy")
		return err
	case "nodejs":
		_, err := run(dir, "npm", "install")
		return err
	default:
		python, err := pythonOf(r.Info)
		if err != nil {
			return err
		}
		return python.InstallDependencies(stream.Context(), dir, false, true, os.Stdout, os.Stderr)
	}
}

// The Python of a program: in the virtual environment that Pulumi.yaml names, or the one on PATH.
func pythonOf(info *pulumirpc.ProgramInfo) (toolchain.Toolchain, error) {
	virtualenv, _ := info.Options.AsMap()["virtualenv"].(string)
	return toolchain.ResolveToolchain(toolchain.PythonOptions{
		Root: info.RootDirectory, ProgramDir: info.ProgramDirectory, Virtualenv: virtualenv,
	})
}

// Runs a command. Returns its output, and an error with what it printed on stderr.
func run(dir, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir = dir
	out, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w\n%s", command, err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
