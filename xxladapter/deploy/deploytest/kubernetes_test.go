//go:build amd64 || arm64

package deploytest

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

var write = flag.Bool("write", false, "write kubernetes/xxlwheel.yaml anew, from the chart")

// kinds are the types of all objects that the chart makes, by apiVersion and kind.
var kinds = map[string]any{
	"apps/v1 Deployment":            appsv1.Deployment{},
	"v1 Service":                    corev1.Service{},
	"v1 PersistentVolumeClaim":      corev1.PersistentVolumeClaim{},
	"policy/v1 PodDisruptionBudget": policyv1.PodDisruptionBudget{},
	"networking.k8s.io/v1 Ingress":  networkingv1.Ingress{},
}

// render renders the chart as helm does, with values over its own. The files are in the order of
// their names.
func render(ctx context.Context, release string, values map[string]any) (string, error) {
	chart, err := loader.LoadDir("../helm/xxlwheel")
	if err != nil {
		return "", err
	}
	if err := chart.Validate(); err != nil {
		return "", err
	}
	all, err := util.ToRenderValues(chart, values, common.ReleaseOptions{Name: release, Namespace: "jobs", Revision: 1, IsInstall: true}, common.DefaultCapabilities)
	if err != nil {
		return "", err
	}
	files, err := (&engine.Engine{Strict: true}).RenderWithContext(ctx, chart, all)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) == ".yaml" && strings.TrimSpace(files[name]) != "" {
			out.WriteString("---\n" + strings.TrimSpace(files[name]) + "\n")
		}
	}
	return out.String(), nil
}

// decode returns the objects of a manifest by kind. A field that Kubernetes does not know is an
// error.
func decode(t *testing.T, manifest string) map[string]any {
	t.Helper()
	objects := map[string]any{}
	documents := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifest)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		var head struct{ APIVersion, Kind string }
		require.NoError(t, strict.Unmarshal(document, &head), string(document))
		if head.Kind == "" {
			require.Regexp(t, `^(\s*#.*\n)*$`, string(document), "it is no object")
			continue
		}
		kind, known := kinds[head.APIVersion+" "+head.Kind]
		require.True(t, known, "%s %s", head.APIVersion, head.Kind)
		object := reflect.New(reflect.TypeOf(kind)).Interface()
		require.NoError(t, strict.UnmarshalStrict(document, object), string(document))
		require.NotContains(t, objects, head.Kind)
		objects[head.Kind] = object
	}
}

// TestChart renders the chart in the ways that its values offer, and checks that Kubernetes accepts
// the objects and that they fit each other.
func TestChart(t *testing.T) {
	for name, c := range map[string]struct {
		values map[string]any
		kinds  []string
		check  func(*testing.T, *appsv1.Deployment)
	}{
		"as it is": {nil, []string{"Deployment", "PodDisruptionBudget", "Service"}, func(t *testing.T, d *appsv1.Deployment) {
			require.Equal(t, int32(3), *d.Spec.Replicas)
			require.Equal(t, "@/run/secrets/xxlwheel/store", environment(d)["XXLWHEEL_STORE"])
			require.Equal(t, appsv1.RecreateDeploymentStrategyType, d.Spec.Strategy.Type, "two releases would share the tables")
		}},
		"SQLite": {
			map[string]any{"replicas": 1, "persistence": map[string]any{"enabled": true, "storageClass": "fast"}},
			[]string{"Deployment", "PersistentVolumeClaim", "Service"},
			func(t *testing.T, d *appsv1.Deployment) {
				require.Equal(t, appsv1.RecreateDeploymentStrategyType, d.Spec.Strategy.Type, "two would want one file")
				require.Equal(t, "sqlite:/data/xxlwheel.db?journal=on", environment(d)["XXLWHEEL_STORE"])
			},
		},
		"everything": {
			map[string]any{
				"image":   map[string]any{"repository": "r.example.org/xxlwheel", "tag": "9", "pullSecrets": []any{"pull"}},
				"metrics": map[string]any{"enabled": true}, "drainSeconds": 40, "zone": "Asia/Shanghai",
				"settings":  map[string]any{"XXLWHEEL_LOG_FORMAT": "json"},
				"ingress":   map[string]any{"enabled": true, "className": "nginx", "tlsSecretName": "tls", "annotations": map[string]any{"a": "b"}},
				"service":   map[string]any{"type": "LoadBalancer", "annotations": map[string]any{"c": "d"}},
				"podLabels": map[string]any{"team": "a"}, "podAnnotations": map[string]any{"e": "f"},
				"nodeSelector": map[string]any{"disk": "ssd"}, "tolerations": []any{map[string]any{"key": "k", "operator": "Exists"}},
				"affinity": map[string]any{"nodeAffinity": map[string]any{}},
			},
			[]string{"Deployment", "Ingress", "PodDisruptionBudget", "Service"},
			func(t *testing.T, d *appsv1.Deployment) {
				pod := d.Spec.Template
				require.Equal(t, "r.example.org/xxlwheel:9", pod.Spec.Containers[0].Image)
				require.Equal(t, "0.0.0.0:9090", environment(d)["XXLWHEEL_METRICS_LISTEN"])
				require.Equal(t, "json", environment(d)["XXLWHEEL_LOG_FORMAT"])
				require.Equal(t, "40s", environment(d)["XXLWHEEL_DRAIN"])
				require.Equal(t, map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "9090", "e": "f"}, pod.Annotations)
				require.Equal(t, "a", pod.Labels["team"])
				require.Equal(t, map[string]string{"disk": "ssd"}, pod.Spec.NodeSelector)
				require.Len(t, pod.Spec.Tolerations, 1)
				require.NotNil(t, pod.Spec.Affinity.NodeAffinity)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			manifest, err := render(t.Context(), "nightly", c.values)
			require.NoError(t, err)
			objects := decode(t, manifest)
			require.Equal(t, c.kinds, slices.Sorted(maps.Keys(objects)))
			deployment := objects["Deployment"].(*appsv1.Deployment)
			checkPod(t, deployment)
			c.check(t, deployment)

			pod := labels.Set(deployment.Spec.Template.Labels)
			for key, value := range pod {
				require.Empty(t, append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...))
			}
			selects := func(selector map[string]string) { require.True(t, labels.SelectorFromSet(selector).Matches(pod)) }
			selects(deployment.Spec.Selector.MatchLabels)
			service := objects["Service"].(*corev1.Service)
			selects(service.Spec.Selector)
			require.Contains(t, ports(deployment), service.Spec.Ports[0].TargetPort.StrVal)
			if budget, ok := objects["PodDisruptionBudget"].(*policyv1.PodDisruptionBudget); ok {
				selects(budget.Spec.Selector.MatchLabels)
			}
			if ingress, ok := objects["Ingress"].(*networkingv1.Ingress); ok {
				to := ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service
				require.Equal(t, service.Name, to.Name)
				require.Equal(t, service.Spec.Ports[0].Name, to.Port.Name)
			}
			if claim, ok := objects["PersistentVolumeClaim"].(*corev1.PersistentVolumeClaim); ok {
				i := slices.IndexFunc(deployment.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil })
				require.Equal(t, claim.Name, deployment.Spec.Template.Spec.Volumes[i].PersistentVolumeClaim.ClaimName)
			}
		})
	}
}

// checkPod checks what holds for each deployment: probes, an orderly stop, and few rights.
func checkPod(t *testing.T, d *appsv1.Deployment) {
	t.Helper()
	spec := d.Spec.Template.Spec
	require.Len(t, spec.Containers, 1)
	c := spec.Containers[0]
	require.Equal(t, []string{"serve"}, c.Args)
	for _, probe := range []struct {
		probe *corev1.Probe
		path  string
	}{{c.StartupProbe, "/healthz"}, {c.LivenessProbe, "/healthz"}, {c.ReadinessProbe, "/readyz"}} {
		require.Equal(t, probe.path, probe.probe.HTTPGet.Path)
		require.Contains(t, ports(d), probe.probe.HTTPGet.Port.StrVal)
	}
	drain := environment(d)["XXLWHEEL_DRAIN"]
	seconds, err := time.ParseDuration(drain)
	require.NoError(t, err)
	require.Greater(t, *spec.TerminationGracePeriodSeconds, int64(seconds.Seconds())+c.Lifecycle.PreStop.Sleep.Seconds+5, "calls get 5 s more after the drain")

	require.True(t, *spec.SecurityContext.RunAsNonRoot)
	require.Equal(t, int64(65532), *spec.SecurityContext.RunAsUser, "as in the Dockerfile")
	require.False(t, *spec.AutomountServiceAccountToken)
	require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
	require.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
	require.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop)
	volumes := map[string]bool{}
	for _, v := range spec.Volumes {
		volumes[v.Name] = true
	}
	for _, m := range c.VolumeMounts {
		require.True(t, volumes[m.Name], m.Name)
	}
}

func environment(d *appsv1.Deployment) map[string]string {
	values := map[string]string{}
	for _, v := range d.Spec.Template.Spec.Containers[0].Env {
		values[v.Name] = v.Value
	}
	return values
}

func ports(d *appsv1.Deployment) (names []string) {
	for _, p := range d.Spec.Template.Spec.Containers[0].Ports {
		names = append(names, p.Name)
	}
	return names
}

// TestChartRefuses checks that the chart refuses values whose deployment would not work.
func TestChartRefuses(t *testing.T) {
	for _, c := range []struct {
		values map[string]any
		says   string
	}{
		{map[string]any{"persistence": map[string]any{"enabled": true}}, "replicas must be 1"},
		{map[string]any{"replica": 2}, "replica"},
		{map[string]any{"replicas": "two"}, "replicas"},
		{map[string]any{"settings": map[string]any{"LOG_FORMAT": "json"}}, "LOG_FORMAT"},
	} {
		_, err := render(t.Context(), "nightly", c.values)
		require.ErrorContains(t, err, c.says)
	}
}

// TestManifests compares the chart with the manifests for installations without Helm.
func TestManifests(t *testing.T) {
	const file = "../kubernetes/xxlwheel.yaml"
	manifest, err := render(t.Context(), "xxlwheel", nil)
	require.NoError(t, err)
	manifest = `# Three schedulers that share one database: the objects that the chart in ../helm makes by default.
# They read a Secret:
#   kubectl create secret generic xxlwheel --from-literal=access-token="$(openssl rand -hex 32)" \
#     --from-literal=store='postgres://USER:PASSWORD@HOST:5432/DATABASE'
#   kubectl apply -f xxlwheel.yaml
` + strings.ReplaceAll(manifest, "app.kubernetes.io/managed-by: Helm", "app.kubernetes.io/managed-by: kubectl")
	if *write {
		require.NoError(t, os.WriteFile(file, []byte(manifest), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, manifest, string(got), "run go test -run TestManifests -write in deploytest")
	decode(t, string(got))
}
