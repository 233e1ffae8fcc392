// Command language-host runs programs in Go, JavaScript, TypeScript and Python, and generates SDKs for them. It uses the
// same libraries as Pulumi's own language hosts, which are not published as Go modules. The name of the executable selects
// the language: pulumi-language-go, pulumi-language-nodejs or pulumi-language-python.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// The exit code of a program whose SDK has reported the error itself.
const alreadyReported = 32

func main() {
	executable := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	h := &host{
		language: strings.TrimPrefix(executable, "pulumi-language-"),
		engine:   os.Args[len(os.Args)-1],
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, h)
			return rpcutil.Healthcheck(h.ctx, h.engine, time.Minute, func() { os.Exit(1) })
		},
	})
	if err == nil {
		fmt.Println(handle.Port)
		err = <-handle.Done
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	language string
	engine   string
	// Ends the program.
	ctx    context.Context
	cancel context.CancelFunc
}

// Run runs a program in a process of its own, with the launcher of its SDK.
func (h *host) Run(_ context.Context, r *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	dir, err := os.MkdirTemp("", "pulumi-partners-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, err := h.program(r, dir)
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(maps.Collect(maps.All(r.Config))) // {} instead of null
	if err != nil {
		return nil, err
	}
	secrets, err := json.Marshal(append([]string{}, r.ConfigSecretKeys...))
	if err != nil {
		return nil, err
	}
	program.Dir = r.Pwd
	program.Env = append(
		program.Environ(),
		"PULUMI_CONFIG="+string(config),
		"PULUMI_CONFIG_SECRET_KEYS="+string(secrets),
		"PULUMI_NODEJS_TYPESCRIPT=true",
		// A Go program reads the rest from its environment, too.
		"PULUMI_ORGANIZATION="+r.Organization,
		"PULUMI_PROJECT="+r.Project,
		"PULUMI_STACK="+r.Stack,
		"PULUMI_DRY_RUN="+strconv.FormatBool(r.DryRun),
		"PULUMI_PARALLEL="+strconv.Itoa(int(r.Parallel)),
		"PULUMI_MONITOR="+r.MonitorAddress,
		"PULUMI_ENGINE="+h.engine,
	)
	// The engine shows the output of this process as the output of the program.
	program.Stdout, program.Stderr = os.Stdout, os.Stderr
	err = program.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return &pulumirpc.RunResponse{}, nil
	case errors.As(err, &exit) && exit.ExitCode() == alreadyReported:
		return &pulumirpc.RunResponse{Bail: true}, nil
	default:
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
}

// Returns the command that runs a program. A Go program is compiled into dir first.
func (h *host) program(r *pulumirpc.RunRequest, dir string) (*exec.Cmd, error) {
	switch h.language {
	case "go":
		executable := filepath.Join(dir, "program")
		_, err := run(r.Info.ProgramDirectory, "go", "build", "-o", executable)
		return h.command(executable), err
	case "nodejs":
		launcher, err := inNodeModules(r.Pwd, "@pulumi/pulumi/cmd/run")
		return h.command("node", append([]string{launcher}, h.arguments(r, "-")...)...), err
	default:
		python, err := h.toolchain(r.Info)
		if err != nil {
			return nil, err
		}
		executable, err := os.Executable()
		if err != nil {
			return nil, err
		}
		launcher := filepath.Join(filepath.Dir(executable), "pulumi-language-python-exec")
		return python.Command(h.ctx, append([]string{launcher}, h.arguments(r, "_")...)...)
	}
}

// Returns the arguments of a launcher, whose flags have names such as --dry_run or --dry-run.
func (h *host) arguments(r *pulumirpc.RunRequest, separator string) []string {
	flags := []string{
		"--monitor=" + r.MonitorAddress,
		"--engine=" + h.engine,
		"--organization=" + r.Organization,
		"--project=" + r.Project,
		"--stack=" + r.Stack,
		"--pwd=" + r.Pwd,
		"--root" + separator + "directory=" + r.Info.RootDirectory,
		"--parallel=" + strconv.Itoa(int(r.Parallel)),
		"--dry" + separator + "run=" + strconv.FormatBool(r.DryRun),
		r.Info.EntryPoint,
	}
	return append(flags, r.Args...)
}

// RunPlugin runs a plugin from its sources, until the engine cancels the call.
func (h *host) RunPlugin(r *pulumirpc.RunPluginRequest, stream pulumirpc.LanguageRuntime_RunPluginServer) error {
	launcher, err := inNodeModules(r.Info.ProgramDirectory, "@pulumi/pulumi/cmd/run-plugin")
	if err != nil {
		return err
	}
	closer, stdout, stderr, err := rpcutil.MakeRunPluginStreams(stream, false)
	if err != nil {
		return err
	}
	defer closer.Close()
	plugin := exec.CommandContext(
		stream.Context(), "node", append([]string{launcher, r.Info.ProgramDirectory}, r.Args...)...)
	plugin.Dir, plugin.Env, plugin.Stdout, plugin.Stderr = r.Pwd, r.Env, stdout, stderr
	return plugin.Run()
}

// Cancel ends the program.
func (h *host) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	h.cancel()
	return &emptypb.Empty{}, nil
}

// GetPluginInfo and GetRequiredPackages have nothing to say: all plugins are installed already.
func (*host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

func (*host) GetRequiredPackages(
	context.Context, *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

// Returns a command that gets SIGINT when the engine cancels the operation.
func (h *host) command(name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(h.ctx, name, args...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command
}

// Finds a file of an npm package as Node.js does.
func inNodeModules(dir, name string) (string, error) {
	for parent := ""; dir != parent; parent, dir = dir, filepath.Dir(dir) {
		path := filepath.Join(dir, "node_modules", name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed", name)
}
