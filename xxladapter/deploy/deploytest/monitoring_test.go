//go:build amd64 || arm64

package deploytest

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// A series is what /metrics shows under one name: the values that each label has. A nil set stands
// for any values.
type series map[string]map[string]bool

// exposed returns the series that a scheduler exposes at /metrics, including those that appear only
// after an event, with the labels that Prometheus adds to each target.
func exposed(t *testing.T) map[string]series {
	t.Helper()
	store := memstore.New(time.Now)
	_, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "app", Title: "t"})
	require.NoError(t, err)
	_, err = store.Lease(t.Context(), "n1", time.Minute) // moves partitions
	require.NoError(t, err)
	m := metrics.New()
	m.Watch(metrics.Sources{
		Scheduler: func() scheduler.Stats { return scheduler.Stats{Holds: true, Partitions: xxladapter.AllPartitions} },
		Wheel:     func() hashedwheel.Stats { return hashedwheel.Stats{} },
		Loads:     func() []trigger.Load { return nil },
		Groups:    store.Groups, Reports: store.Reports, PartitionMoves: store.PartitionMoves,
	})
	m.Alarm("mail", alarm.ResultFailed)
	closed := memstore.New(time.Now)
	require.NoError(t, closed.Close())
	_, err = m.Store(closed).Groups(context.WithoutCancel(t.Context()))
	require.Error(t, err)

	page := httptest.NewRecorder()
	m.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	text := expfmt.NewTextParser(model.UTF8Validation)
	families, err := text.TextToMetricFamilies(page.Body)
	require.NoError(t, err)
	all := map[string]series{"up": {"job": nil, "instance": nil}}
	for name, family := range families {
		s := series{"job": nil, "instance": nil}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if s[label.GetName()] == nil {
					s[label.GetName()] = map[string]bool{}
				}
				s[label.GetName()][label.GetValue()] = true
			}
		}
		if family.GetType() != dto.MetricType_HISTOGRAM {
			all[name] = s
			continue
		}
		all[name+"_sum"], all[name+"_count"] = s, s
		buckets := maps.Clone(s)
		buckets["le"] = nil
		all[name+"_bucket"] = buckets
	}
	return all
}

// checkExpression parses an expression and compares its metrics and labels with those that exist.
// It returns the number of metrics.
func checkExpression(t *testing.T, all map[string]series, where, text string) (selected int) {
	t.Helper()
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	require.NoError(t, err, "%s: %s", where, text)
	var under func(node parser.Node) []series // the series that an expression is made of
	under = func(node parser.Node) (found []series) {
		if s, ok := node.(*parser.VectorSelector); ok {
			found = append(found, all[s.Name])
		}
		for child := range parser.ChildrenIter(node) {
			found = append(found, under(child)...)
		}
		return found
	}
	parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			selected++
			s, known := all[node.Name]
			require.True(t, known, "%s: there is no metric %s", where, node.Name)
			for _, matcher := range node.LabelMatchers {
				if matcher.Name == model.MetricNameLabel {
					continue
				}
				values, known := s[matcher.Name]
				require.True(t, known, "%s: %s has no label %s", where, node.Name, matcher.Name)
				if values != nil && matcher.Type == labels.MatchEqual {
					require.True(t, values[matcher.Value], "%s: %s never has %s", where, node.Name, matcher)
				}
			}
		case *parser.AggregateExpr:
			for _, s := range under(node) {
				for _, label := range node.Grouping {
					_, known := s[label]
					require.True(t, known, "%s: %s groups by %s, which is missing", where, node, label)
				}
			}
		}
		return nil
	})
	return selected
}

var labelOf = regexp.MustCompile(`\$labels\.(\w+)`)

func TestAlertRules(t *testing.T) {
	all := exposed(t)
	groups, problems := rulefmt.ParseFile("../monitoring/alerts.yaml", false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.Default())
	require.Empty(t, problems)
	rules := 0
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			rules++
			require.Positive(t, checkExpression(t, all, rule.Alert, rule.Expr))
			require.Contains(t, []string{"warning", "critical"}, rule.Labels["severity"], rule.Alert)
			require.NotEmpty(t, rule.Annotations["summary"], rule.Alert)
			require.NotEmpty(t, rule.Annotations["description"], rule.Alert)
			for _, text := range rule.Annotations {
				for _, m := range labelOf.FindAllStringSubmatch(text, -1) {
					require.True(t, keepsLabel(t, rule.Expr, m[1]), "%s: its alerts have no label %s", rule.Alert, m[1])
				}
			}
		}
	}
	require.Greater(t, rules, 10)
	// The rule about partitions has their number.
	text, err := os.ReadFile("../monitoring/alerts.yaml")
	require.NoError(t, err)
	require.Equal(t, 64, xxladapter.Partitions)
	require.True(t, strings.Contains(string(text), "(xxlwheel_partition_planned)) < 64"), "the rule about partitions has another number")
}

// keepsLabel reports whether the result of an expression still has a label.
func keepsLabel(t *testing.T, text, label string) bool {
	t.Helper()
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	require.NoError(t, err)
	keeps := true
	parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
		by, ok := node.(*parser.AggregateExpr)
		if ok && by.Op != parser.TOPK && slices.Contains(by.Grouping, label) == by.Without {
			keeps = false
		}
		return nil
	})
	return keeps
}

// A dashboard is the part of Grafana's format that this test reads.
type dashboard struct {
	Templating struct {
		List []struct {
			Name, Type string
			Query      json.RawMessage
		}
	}
	Panels []struct {
		ID         int
		Type       string
		Title      string
		Datasource struct{ UID string }
		GridPos    struct{ X, Y, W, H int }
		Targets    []struct{ RefID, Expr, LegendFormat string }
	}
}

var (
	variable    = regexp.MustCompile(`\$\{?(\w+)\}?`)
	labelValues = regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)
	inLegend    = regexp.MustCompile(`\{\{(\w+)\}\}`)
)

func TestDashboard(t *testing.T) {
	all := exposed(t)
	text, err := os.ReadFile("../monitoring/dashboard.json")
	require.NoError(t, err)
	var d dashboard
	require.NoError(t, json.Unmarshal(text, &d))

	known := map[string]bool{"__rate_interval": true, "__range": true, "__all": true}
	for _, v := range d.Templating.List {
		known[v.Name] = true
	}
	for _, m := range variable.FindAllStringSubmatch(string(text), -1) {
		require.True(t, known[m[1]], "there is no variable %s", m[1])
	}
	filled := strings.NewReplacer("$__rate_interval", "1m", "$__range", "1h", "$job", ".*", "$instance", ".*").Replace
	for _, v := range d.Templating.List {
		if v.Type == "query" {
			var query struct{ Query string }
			require.NoError(t, json.Unmarshal(v.Query, &query))
			m := labelValues.FindStringSubmatch(query.Query)
			require.NotNil(t, m, query.Query)
			checkExpression(t, all, v.Name, "sum by ("+m[2]+") ("+filled(m[1])+")")
		}
	}

	ids, shown, taken := map[int]bool{}, map[string]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		require.False(t, ids[p.ID], "two panels have the id %d", p.ID)
		ids[p.ID] = true
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				require.Empty(t, taken[at], "%s covers another panel", p.Title)
				taken[at] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		require.NotEmpty(t, p.Targets, p.Title)
		require.Equal(t, "${datasource}", p.Datasource.UID, p.Title)
		for _, target := range p.Targets {
			expression := filled(target.Expr)
			checkExpression(t, all, p.Title, expression)
			for _, m := range inLegend.FindAllStringSubmatch(target.LegendFormat, -1) {
				require.True(t, keepsLabel(t, expression, m[1]), "%s: its series have no label %s", p.Title, m[1])
			}
			for name := range all {
				if regexp.MustCompile(`\b` + name + `\b`).MatchString(expression) {
					shown[name] = true
				}
			}
		}
	}
	require.Greater(t, len(shown), 20)
}
