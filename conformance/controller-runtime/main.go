// Admission webhooks as controller-runtime serves them: a manager with a mutating and a validating webhook for ConfigMaps.
// It registers them with the server of its kubeconfig, writes a few objects, checks what became of them, and ends.
package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gomodules.xyz/jsonpatch/v2"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const name = "controller-runtime.example.com"

func main() {
	log.SetLogger(zap.New())
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("webhooks of controller-runtime were asked")
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	folder, err := os.MkdirTemp("", "pintle-webhook")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	authority, err := certify(folder)
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: folder}),
	})
	if err != nil {
		return err
	}
	server := manager.GetWebhookServer()
	server.Register("/mutate", &admission.Webhook{Handler: admission.HandlerFunc(mutate)})
	server.Register("/validate", &admission.Webhook{Handler: admission.HandlerFunc(validate)})
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	if err := waitFor(ctx, port); err != nil {
		return err
	}
	err = exercise(ctx, manager.GetClient(), port, authority)
	cancel()
	// The manager reads its certificate until it has ended.
	return errors.Join(err, <-ended)
}

// mutate labels a ConfigMap.
func mutate(_ context.Context, request admission.Request) admission.Response {
	operation := jsonpatch.NewOperation("add", "/metadata/labels", map[string]string{"seen-by": "controller-runtime"})
	return admission.Patched("labelled", operation).WithWarnings("labelled " + request.Name)
}

// validate refuses a ConfigMap that says it is forbidden, or that the mutating webhook did not label.
func validate(_ context.Context, request admission.Request) admission.Response {
	var configMap corev1.ConfigMap
	if err := json.Unmarshal(request.Object.Raw, &configMap); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if configMap.Labels["seen-by"] != "controller-runtime" {
		return admission.Denied("it was not mutated before it was validated")
	}
	if _, forbidden := configMap.Data["forbidden"]; forbidden {
		return admission.Denied("it is forbidden")
	}
	return admission.Allowed("")
}

func exercise(ctx context.Context, kube client.Client, port int, authority []byte) error {
	for _, configuration := range configurations(port, authority) {
		if err := kube.Create(ctx, configuration); err != nil {
			return err
		}
		defer kube.Delete(context.Background(), configuration)
	}
	// kube-apiserver sees its configurations a moment later.
	return eventually(ctx, func() error {
		allowed := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "allowed-", Namespace: "default"}}
		if err := kube.Create(ctx, allowed); err != nil {
			return err
		}
		if allowed.Labels["seen-by"] != "controller-runtime" {
			return errors.New("what was created was not mutated")
		}
		forbidden := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "forbidden-", Namespace: "default"},
			Data:       map[string]string{"forbidden": "yes"},
		}
		err := kube.Create(ctx, forbidden)
		const words = `admission webhook "validate.` + name + `" denied the request: it is forbidden`
		if err == nil || !strings.Contains(err.Error(), words) {
			return fmt.Errorf("what is forbidden was answered with %v", err)
		}
		return nil
	})
}

func configurations(port int, authority []byte) []client.Object {
	rules := []admissionregistration.RuleWithOperations{{
		Operations: []admissionregistration.OperationType{admissionregistration.Create},
		Rule:       admissionregistration.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
	}}
	none := admissionregistration.SideEffectClassNone
	config := func(path string) admissionregistration.WebhookClientConfig {
		url := fmt.Sprintf("https://127.0.0.1:%d%s", port, path)
		return admissionregistration.WebhookClientConfig{URL: &url, CABundle: authority}
	}
	return []client.Object{
		&admissionregistration.MutatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Webhooks: []admissionregistration.MutatingWebhook{{
				Name: "mutate." + name, Rules: rules, ClientConfig: config("/mutate"),
				SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			}},
		},
		&admissionregistration.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Webhooks: []admissionregistration.ValidatingWebhook{{
				Name: "validate." + name, Rules: rules, ClientConfig: config("/validate"),
				SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			}},
		},
	}
}

// certify writes a certificate for loopback where the webhook server looks for it, and returns who signed it.
func certify(folder string) ([]byte, error) {
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return nil, err
	}
	for file, content := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(folder, file), content, 0o600); err != nil {
			return nil, err
		}
	}
	// The last of them is the authority.
	var last []byte
	for block, rest := pem.Decode(certificate); block != nil; block, rest = pem.Decode(rest) {
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return nil, err
		}
		last = pem.EncodeToMemory(block)
	}
	return last, nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func waitFor(ctx context.Context, port int) error {
	return eventually(ctx, func() error {
		connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			connection.Close()
		}
		return err
	})
}

func eventually(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}
