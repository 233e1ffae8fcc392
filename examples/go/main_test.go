// Tests what the program declares, with mocks instead of the engine: "go test".
package main

import (
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

type mocks struct {
	lock   sync.Mutex // Resources are declared in parallel.
	states map[string]string
}

func (m *mocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	state := args.Inputs.Copy()
	switch args.TypeToken {
	case "partners:index:PartnerApiKey":
		state["apiKey"] = resource.NewProperty("pk_test")
	case "partners:index:PartnerWebhookState":
		m.lock.Lock()
		defer m.lock.Unlock()
		m.states[args.Name] = state["state"].StringValue()
	}
	return args.Name, state, nil
}

// What getPartnerWebhooks finds.
func (m *mocks) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) {
	webhook := map[string]any{"webhookId": 101, "record": map[string]any{}}
	return resource.NewPropertyMapFromMap(map[string]any{"webhooks": []any{webhook}}), nil
}

func TestStatesOfWebhooks(t *testing.T) {
	m := &mocks{states: map[string]string{}}
	if err := pulumi.RunErr(program, pulumi.WithMocks("shop", "test", m)); err != nil {
		t.Fatal(err)
	}
	if m.states["orders"] != "active" || m.states["refunds"] != "disabled" {
		t.Errorf("the states are %v", m.states)
	}
}
