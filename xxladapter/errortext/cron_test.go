package errortext

import (
	"encoding/csv"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// planned returns the error of a schedule.
func planned(kind, conf string, opts ...cron.Option) error {
	_, err := cron.ParsePlan(kind, conf, time.UTC, opts...)
	return err
}

// TestEveryWrongExpressionHasChinese parses all expressions that XXL-JOB refuses, and some others,
// in each dialect.
func TestEveryWrongExpressionHasChinese(t *testing.T) {
	file, err := os.Open("../cron/testdata/cron_invalid.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	exprs := []string{"0 0 0 ? * 2#3,4", "* * * * * * * *", strings.Repeat("1", 200), strings.Repeat("1", 2049), "0 0 9-5 * * ?", "0 0 0 1 1 ? 2030-2020", "@daily", "0 0 2 * *", "0 0 0 -1 * ?", "0 0 0 W5 * ?"}
	for _, row := range rows[1:] {
		exprs = append(exprs, row[0])
	}
	refused := 0
	for _, expr := range exprs {
		for _, profile := range []cron.Profile{cron.Quartz, cron.Sane, cron.XXL34, cron.Unix} {
			wrong := planned(cron.Cron, expr, profile)
			if wrong == nil {
				continue
			}
			refused++
			require.NotEmpty(t, chineseOf(wrong), "%q has no Chinese text: %v", expr, wrong)
		}
	}
	require.Greater(t, refused, 100)
}

func TestWrongSchedulesInChinese(t *testing.T) {
	for _, c := range []struct{ kind, conf, want string }{
		{cron.Cron, "0 61 * * * ?", "Cron 表达式的分（第 3 列起）为“61”，须在 0 到 59 之间"},
		{cron.Cron, "0 0 2 * *", "Cron 表达式的整体（第 1 列起）为“0 0 2 * *”，须有 6 或 7 个字段，依次为秒、分、时、日、月、周，年可省略，现有 5 个；五个字段是 Unix 表达式（周日为 0），请使用 unix 方言，或写作 0 0 0 2 * ?"},
		{cron.FixRate, "soon", "间隔为“soon”，须为秒数，例如 30 或 0.1"},
		{cron.FixDelay, "0.0001", "间隔为“0.0001”，最多 3 位小数"},
		{cron.FixDelay, "0", "间隔为“0”，须在 0.1 到 2147483647 秒之间"},
		{cron.Once, "tomorrow", "时间为“tomorrow”，须为 RFC 3339 格式，例如 2026-03-01T09:00:00+08:00"},
		{"MOON", "", "调度类型为“MOON”，须为 NONE、CRON、FIX_RATE、FIX_DELAY 或 ONCE"},
	} {
		require.Equal(t, c.want, chineseOf(planned(c.kind, c.conf)))
	}
	unknown := errors.Join(&cron.ParseError{Rule: "is not known here"})
	require.Empty(t, chineseOf(unknown))
	refused := xxladapter.Refusef(xxladapter.CodeInvalid, errorrule.Cron, "%[5]v", "scheduleConf", "minute", 3, "61", unknown)
	require.Empty(t, Chinese(refused), "the English is no Chinese text")
}

// TestEveryRuleOfCronHasChinese reads the rules for expressions from the sources of package cron.
func TestEveryRuleOfCronHasChinese(t *testing.T) {
	files, err := filepath.Glob("../cron/*.go")
	require.NoError(t, err)
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		said := func(texts map[string]string, e ast.Expr) {
			text, is := constant(e)
			if !is {
				return // it is made of several parts, which the test above drives
			}
			found++
			_, known := inCron(texts, text)
			require.True(t, known, "%s: %q has no Chinese text in cron.go", file, text)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, is := n.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "fail" && len(n.Args) == 3 {
					said(cronRules, n.Args[2])
				} else if f, is := n.Fun.(*ast.Ident); is && f.Name == "periodError" {
					said(cronPlanRules, n.Args[0])
				}
			case *ast.KeyValueExpr:
				if key, is := n.Key.(*ast.Ident); is && (key.Name == "valueErr" || key.Name == "stepErr") {
					said(cronRules, n.Value)
				}
			case *ast.AssignStmt:
				if at, is := n.Lhs[0].(*ast.SelectorExpr); is && at.Sel.Name == "Hint" && n.Tok == token.ASSIGN {
					said(cronHints, n.Rhs[0])
				}
			}
			return true
		})
	}
	require.Greater(t, found, 60)
}

// TestReasonsOfProvidersHaveChinese reads provider.go of package openid.
func TestReasonsOfProvidersHaveChinese(t *testing.T) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "../accounts/openid/provider.go", nil, 0)
	require.NoError(t, err)
	found := 0
	ast.Inspect(parsed, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			if f, is := call.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "refuse" {
				if why, is := constant(call.Args[0]); is {
					found++
					require.NotEmpty(t, reasons[why], why)
				}
			}
		}
		return true
	})
	require.Equal(t, len(reasons), found)
}
