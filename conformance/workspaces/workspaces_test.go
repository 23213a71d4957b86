// Package workspaces holds tests as users of client-go write them: each takes a workspace of its own from one running
// `pintle serve --workspaces --admin-kubeconfig FILE`, and breaks what it needs broken from outside.
package workspaces

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
)

// patience is how long anything may take; a busy machine needs more than an idle one.
const patience = 60 * time.Second

// cluster is a workspace: a clientset for what is tested, and one whose token opens the admin path.
type cluster struct {
	name          string
	client, admin *kubernetes.Clientset
}

// take makes a workspace, which is dropped when the test ends.
func take(t *testing.T) cluster {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(t, err)
	server := clientset(t, config)
	answer, err := server.RESTClient().Post().AbsPath("/pintle/v1/workspaces").Body([]byte(`{"ttlSeconds": 600}`)).DoRaw(t.Context())
	must(t, err)
	var made struct{ Name, Kubeconfig, AdminKubeconfig string }
	must(t, json.Unmarshal(answer, &made))
	t.Cleanup(func() {
		_, err := server.RESTClient().Delete().AbsPath("/pintle/v1/workspaces", made.Name).DoRaw(context.Background())
		must(t, err)
	})
	return cluster{made.Name, fromKubeconfig(t, made.Kubeconfig), fromKubeconfig(t, made.AdminKubeconfig)}
}

func fromKubeconfig(t *testing.T, kubeconfig string) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(kubeconfig))
	must(t, err)
	return clientset(t, config)
}

func clientset(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	config.QPS, config.Burst = 1000, 1000
	client, err := kubernetes.NewForConfig(config)
	must(t, err)
	return client
}

// ask does something to the workspace, and returns what it answered.
func (c cluster) ask(t *testing.T, path, body string) map[string]any {
	t.Helper()
	raw, err := c.admin.RESTClient().Post().AbsPath("/pintle/v1", path).Body([]byte(body)).DoRaw(t.Context())
	if err != nil {
		t.Fatalf("%s %s: %v: %s", path, body, err, raw)
	}
	var answer map[string]any
	must(t, json.Unmarshal(raw, &answer))
	return answer
}

// read gets what the admin path shows.
func (c cluster) read(t *testing.T, path string) map[string]any {
	t.Helper()
	raw, err := c.admin.RESTClient().Get().AbsPath("/pintle/v1", path).DoRaw(t.Context())
	must(t, err)
	var answer map[string]any
	must(t, json.Unmarshal(raw, &answer))
	return answer
}

func (c cluster) create(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	made, err := c.client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap, metav1.CreateOptions{})
	must(t, err)
	return made
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return holds(), nil
	})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestWorkspacesDoNotSeeEachOther(t *testing.T) {
	for number := range 10 {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			own := take(t)
			own.create(t, "the-same-name")
			listed, err := own.client.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
			must(t, err)
			// Its own, and the certificate authority that every namespace has.
			if len(listed.Items) != 2 {
				t.Fatalf("%d config maps", len(listed.Items))
			}
		})
	}
}

func TestAnInformerSurvivesCutWatchesAndExpiredHistory(t *testing.T) {
	t.Parallel()
	own := take(t)
	factory := informers.NewSharedInformerFactory(own.client, 0)
	store := factory.Core().V1().ConfigMaps().Informer()
	factory.Start(t.Context().Done())
	if !cache.WaitForCacheSync(t.Context().Done(), store.HasSynced) {
		t.Fatal("it never synced")
	}
	has := func(name string) func() bool {
		return func() bool { _, is, _ := store.GetStore().GetByKey("default/" + name); return is }
	}
	own.create(t, "before")
	eventually(t, "before", has("before"))
	eventually(t, "a watch is cut", func() bool {
		return own.ask(t, "watches/cut", `{"resource": "configmaps"}`)["watches"] == 1.0
	})
	own.create(t, "cut")
	eventually(t, "after a cut", has("cut"))
	// The next watch cannot resume: its version is forgotten, so the informer must list again.
	own.ask(t, "faults", `{"requests": {"verb": "watch", "resource": "configmaps", "times": 1}, "fault": {"type": "expire"}}`)
	eventually(t, "a watch is broken", func() bool {
		return own.ask(t, "watches/break", `{"resource": "configmaps"}`)["watches"] == 1.0
	})
	own.ask(t, "expire-history", "")
	own.create(t, "expired")
	eventually(t, "after history was expired", has("expired"))
	eventually(t, "the fault", func() bool {
		fired := own.read(t, "faults")["fired"].(map[string]any)
		return fired["expire"] == 1.0
	})
}

func TestConflictsAreRetried(t *testing.T) {
	t.Parallel()
	own := take(t)
	own.create(t, "contended")
	own.ask(t, "faults", `{"requests": {"verb": "update", "resource": "configmaps", "times": 2}, "fault": {"type": "answer", "code": 409}}`)
	maps, tries := own.client.CoreV1().ConfigMaps("default"), 0
	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		tries++
		current, err := maps.Get(t.Context(), "contended", metav1.GetOptions{})
		if err != nil {
			return err
		}
		current.Data = map[string]string{"try": fmt.Sprint(tries)}
		_, err = maps.Update(t.Context(), current, metav1.UpdateOptions{})
		return err
	}))
	if tries != 3 {
		t.Fatalf("%d tries", tries)
	}
}

func TestTimeIsMoved(t *testing.T) {
	t.Parallel()
	own := take(t)
	event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e"}, InvolvedObject: corev1.ObjectReference{Namespace: "default"}}
	events := own.client.CoreV1().Events("default")
	made, err := events.Create(t.Context(), event, metav1.CreateOptions{})
	must(t, err)
	own.ask(t, "clock", `{"advanceSeconds": 3601}`)
	if _, err := events.Get(t.Context(), "e", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatalf("an event stays for an hour: %v", err)
	}
	later := own.create(t, "later").CreationTimestamp.Sub(made.CreationTimestamp.Time)
	if later < time.Hour {
		t.Fatalf("only %s later", later)
	}
}

func TestAPausedServerIsSilentAndThenCatchesUp(t *testing.T) {
	t.Parallel()
	own := take(t)
	own.ask(t, "pause", "")
	hasty, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	maps := own.client.CoreV1().ConfigMaps("default")
	if _, err := maps.List(hasty, metav1.ListOptions{}); err == nil {
		t.Fatal("a paused server answers nobody")
	}
	own.ask(t, "resume", "")
	_, err := maps.List(t.Context(), metav1.ListOptions{})
	must(t, err)
	if lines := fmt.Sprint(own.read(t, "trace")); !strings.Contains(lines, "server: pause") {
		t.Fatalf("the trace has no pause: %s", lines)
	}
}

func TestARewoundServerForgets(t *testing.T) {
	t.Parallel()
	own := take(t)
	own.create(t, "kept")
	revision := own.read(t, "state")["revision"].(float64)
	own.create(t, "undone")
	own.ask(t, "rewind", fmt.Sprintf(`{"revision": %d}`, int(revision)))
	maps := own.client.CoreV1().ConfigMaps("default")
	if _, err := maps.Get(t.Context(), "undone", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatalf("it was never made: %v", err)
	}
	_, err := maps.Get(t.Context(), "kept", metav1.GetOptions{})
	must(t, err)
}

func TestAWorkspaceThatIsGoneSaysHowToMakeIt(t *testing.T) {
	t.Parallel()
	own := take(t)
	server := take(t)
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(t, err)
	config.Host += "/workspaces/" + own.name + "-and-gone"
	_, err = clientset(t, config).CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "POST") {
		t.Fatalf("%v", err)
	}
	server.create(t, "others-go-on")
}
