// Command language-host runs programs in Go, TypeScript and Python, and generates SDKs for them. It uses the
// same libraries as Pulumi's own language hosts, which are not published as Go modules. The name of the
// executable selects the language: pulumi-language-go, pulumi-language-nodejs or pulumi-language-python.
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
	h := &host{
		language: strings.TrimPrefix(filepath.Base(os.Args[0]), "pulumi-language-"),
		engine:   os.Args[len(os.Args)-1],
	}
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, h)
			return rpcutil.Healthcheck(context.Background(), h.engine, time.Minute, func() { os.Exit(1) })
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
}

// Run runs a program in a process of its own.
func (h *host) Run(ctx context.Context, r *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	config, err := json.Marshal(maps.Collect(maps.All(r.Config))) // {} instead of null
	if err != nil {
		return nil, err
	}
	secrets, err := json.Marshal(append([]string{}, r.ConfigSecretKeys...))
	if err != nil {
		return nil, err
	}
	var flags []string
	env := []string{
		"PULUMI_CONFIG=" + string(config),
		"PULUMI_CONFIG_SECRET_KEYS=" + string(secrets),
		"PULUMI_NODEJS_TYPESCRIPT=true",
	}
	for name, value := range map[string]string{
		"monitor":      r.MonitorAddress,
		"engine":       h.engine,
		"organization": r.Organization,
		"project":      r.Project,
		"stack":        r.Stack,
		"parallel":     strconv.Itoa(int(r.Parallel)),
		"dry_run":      strconv.FormatBool(r.DryRun),
	} {
		flags = append(flags, "--"+name+"="+value)
		// A Go program has no launcher that reads flags.
		env = append(env, "PULUMI_"+strings.ToUpper(name)+"="+value)
	}
	program, err := h.program(ctx, r, flags)
	if err != nil {
		return nil, err
	}
	program.Dir = r.Pwd
	program.Env = append(program.Environ(), env...)
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

// Returns the command that runs a program: Go, or the launcher of its SDK.
func (h *host) program(ctx context.Context, r *pulumirpc.RunRequest, flags []string) (*exec.Cmd, error) {
	switch h.language {
	case "go":
		return exec.CommandContext(ctx, "go", "run", r.Info.EntryPoint), nil
	case "nodejs":
		for index, flag := range flags {
			flags[index] = strings.Replace(flag, "dry_run", "dry-run", 1)
		}
		return node(ctx, "run", r.Pwd, append(flags, r.Info.EntryPoint)...), nil
	default:
		python, err := pythonOf(r.Info)
		if err != nil {
			return nil, err
		}
		executable, err := os.Executable()
		launcher := filepath.Join(filepath.Dir(executable), "pulumi-language-python-exec")
		command, commandErr := python.Command(ctx, append(append([]string{launcher}, flags...), r.Info.EntryPoint)...)
		return command, errors.Join(err, commandErr)
	}
}

// RunPlugin runs a plugin or a policy pack from its sources in TypeScript, until the engine cancels the call.
func (h *host) RunPlugin(r *pulumirpc.RunPluginRequest, stream pulumirpc.LanguageRuntime_RunPluginServer) error {
	closer, stdout, stderr, err := rpcutil.MakeRunPluginStreams(stream, false)
	if err != nil {
		return err
	}
	defer closer.Close()
	dir := r.Info.ProgramDirectory
	plugin := node(stream.Context(), "run-plugin", dir, append([]string{dir}, r.Args...)...)
	plugin.Dir = r.Pwd
	// As in Pulumi's own host, a policy pack runs in its folder, where it reads its package.json.
	if r.Kind == "analyzer" {
		plugin = node(stream.Context(), "run-policy-pack", dir, append(r.Args, dir)...)
		plugin.Dir = dir
	}
	plugin.Env, plugin.Stdout, plugin.Stderr = r.Env, stdout, stderr
	return plugin.Run()
}

// GetPluginInfo has nothing to say, but the engine uses no host without it.
func (*host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

// Returns a command that runs a launcher of the SDK that is installed for a folder.
func node(ctx context.Context, launcher, dir string, args ...string) *exec.Cmd {
	script := `require(require.resolve("@pulumi/pulumi/cmd/` + launcher + `", { paths: [process.argv[1]] }))`
	return exec.CommandContext(ctx, "node", append([]string{"-e", script, dir}, args...)...)
}
