package cron

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rulesFor maps each reason recorded in cron_invalid.csv to our rules for it. Some expressions
// break several rules: too few fields are reported before any field is parsed.
var rulesFor = map[string][]string{
	"bad_character": {"has a character that cannot start an item", "must have 6 or 7 fields", "has no names",
		"is not one of L, L-n, LW and L-nW", "cannot start with W"},
	"both_day_fields_given":            {"and day of month are both given"},
	"last_day_offset_over_30":          {"has an offset from the last day above 30"},
	"malformed_token":                  {"has a step that is not a number", "has no names", "has a name of fewer than three letters", "lacks the end of its range", "mixes a n", "lacks the number of days after L-", "is not one of L, L-n, LW and L-nW", "cannot start with W", "has a range whose end is not a number", "lacks the step after /"},
	"more_than_one_nth":                {"has # twice"},
	"nth_not_1_to_5":                   {"must have 1 to 5 after #"},
	"question_mark_in_both_day_fields": {"and day of month are both ?", "has ? in a list", "has text after ?", "must be 1 to 31"},
	"question_mark_outside_day_fields": {"must not be ?"},
	"special_in_wrong_field":           {"has L", "has W", "has #"},
	"step_missing":                     {"lacks the step after /"},
	"step_too_large":                   {"has a step above"},
	"text_after_question_mark":         {"has text after ?"},
	"too_few_fields":                   {"must have 6 or 7 fields"},
	"too_many_fields":                  {"must have 6 or 7 fields"},
	"unknown_name":                     {"has an unknown name"},
	"value_out_of_range":               {"must be "},
	"weekday_L_in_list":                {"has L in a list"},
	"year_range_descending":            {"has a range that ends before it starts"},
}

func TestInvalidNamesFieldColumnAndRule(t *testing.T) {
	for _, row := range records(t, "cron_invalid.csv") {
		if row["rejected_by"] == "A" {
			continue // only XXL-JOB 2.4.2 refuses it
		}
		expr := row["expr"]
		for _, p := range []Profile{Quartz, Sane, XXL34} {
			_, err := Parse(expr, p)
			var e *ParseError
			require.True(t, errors.As(err, &e), "%v %q", p, expr)
			requireHonest(t, expr, e)
			allowed := false
			for _, rule := range rulesFor[row["reason"]] {
				allowed = allowed || strings.HasPrefix(e.Rule, rule)
			}
			require.True(t, allowed, "%v %q: %s, recorded as %s", p, expr, err, row["reason"])
		}
	}
}

// requireHonest checks that an error points at the text that it quotes.
func requireHonest(t require.TestingT, expr string, e *ParseError) {
	require.Contains(t, []string{"expression", "second", "minute", "hour", "day of month", "month", "day of week", "year"}, e.Field)
	require.GreaterOrEqual(t, e.Column, 1, "%q", expr)
	require.True(t, strings.HasPrefix(expr[e.Column-1:], e.Text), "%q at %d in %q", e.Text, e.Column, expr)
	require.LessOrEqual(t, len(e.Text), maxErrorText)
	require.NotEmpty(t, e.Rule)
	require.LessOrEqual(t, len(e.Error()), 600)
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		expr, want string
		profile    Profile
	}{
		// What upstream reads in an unexpected way and the default profile refuses.
		{expr: "5x * * * * ?", want: `cron: second "5x" at column 1 has text after a number`},
		{expr: "0 1;2 * * * ?", want: `cron: minute "1;2" at column 3 has text after a number`},
		{expr: "0 0 5-10-15 * * ?", want: `cron: hour "5-10-15" at column 5 has text after a range`},
		{expr: "*5 * * * * ?", want: `cron: second "*5" at column 1 has text after *`},
		{expr: "0 0 0 1 1/2x ?", want: `cron: month "1/2x" at column 9 has text after a step`},
		{expr: "0 0 0 ? * MON-FRI/2", want: `cron: day of week "MON-FRI/2" at column 11 has text after a name range; Quartz ignores a step after names; write numbers`},
		{expr: "0 0 0 ? * SUNDAY", want: `cron: day of week "SUNDAY" at column 11 has a name of more than three letters`},
		{expr: "0 0 0 ? * MONDAY#2", want: `has a name of more than three letters`},
		{expr: "1,,3 * * * * ?", want: `cron: second "" at column 3 has an empty list item`},
		{expr: "1, * * * * ?", want: `cron: second "" at column 3 has an empty list item`},
		{expr: "99 * * * * ?", want: `cron: second "99" at column 1 must be 0 to 59`},
		{expr: "0 0 0 98 * MON", want: `cron: day of month "98" at column 7 must be 1 to 31`},
		{expr: "0/0 * * * * ?", want: `cron: second "0/0" at column 1 has a step of 0, must be at least 1`},
		{expr: "0 0 0 ? * 2#1,3", want: `cron: day of week "2#1,3" at column 11 has # in a list, which is not possible`},
		{expr: "0 0 0 ? * 2-6#1", want: `has text after a range`},
		{expr: "0 0 0 ? * 9#1", want: `cron: day of week "9#1" at column 11 must be 1 to 7 (1 is Sunday) or SUN to SAT`},
		{expr: "0 0 0 0W * ?", want: `cron: day of month "0W" at column 7 must be 1 to 31`},
		{expr: "0 0 0 10-15W * ?", want: `has text after a range`},
		{expr: "0 0 0 5C * ?", want: `has text after a number`},
		{expr: "0 0 0 ?5 * MON", want: `cron: day of month "?5" at column 7 has text after ?`},
		{expr: "0 0 0 1 1 ? L", want: `cron: year "L" at column 13 has L, which only the day fields may have`},
		{expr: "0 0 0 1 1 ? 1969", want: `cron: year "1969" at column 13 must be 1970 to 9999`},
		{expr: "0 0 0 1 1 ? 10000", want: `must be 1970 to 9999`},
		{expr: "0 0 0 1 L ?", want: `cron: month "L" at column 9 has L, which only the day fields may have`},
		{expr: "0 0 0 1 L ?", want: `has L, which only the day fields may have`, profile: XXL34},
		{expr: ", 0 0 1 1 ?", want: `cron: second "" at column 1 has an empty list item`},
		{expr: ",, 0 0 1 1 ?", want: `cron: second ",," at column 1 has only empty list items`, profile: XXL34},

		{expr: "0 0 0 15Wx * ?", want: `cron: day of month "15Wx" at column 7 has text after W`},
		{expr: "0 0 0 W15 * ?", want: `cron: day of month "W15" at column 7 cannot start with W; the day comes first: 15W`},
		{expr: "0 0 0 5L * ?", want: `cron: day of month "5L" at column 7 has L after a day, which only the day of week may have`},
		{expr: "0 0 0 1 J1N ?", want: `cron: month "J1N" at column 9 has a name of fewer than three letters`},
		{expr: "0 0 0 1 JA1 ?", want: `cron: month "JA1" at column 9 has a name of fewer than three letters`},
		{expr: "0 0 0 ? * MO", want: `cron: day of week "MO" at column 11 has a name of fewer than three letters`},
		{expr: "0 0 0 ? * MON-FR", want: `cron: day of week "MON-FR" at column 11 has a name of fewer than three letters`},

		{expr: "61/5 * * * * ?", want: `cron: second "61/5" at column 1 must be 0 to 59`},
		{expr: "0 0 0 ? * 2#1x", want: `cron: day of week "2#1x" at column 11 has text after #k`},
		{expr: "0 0 0 ? * 2#10", want: `must have 1 to 5 after #`},

		// Other dialects.
		{expr: "*/5 * * * *", want: "parse them with the Unix option, or write 0 */5 * * * ?"},
		{expr: "0 12 * * 0-5", want: "or write 0 0 12 ? * SUN-FRI"},
		{expr: "0 12 13 * 5", want: "parse them with the Unix option"},
		{expr: "@daily", want: "names such as @daily are not part of this dialect"},
		{expr: "0 0 12 * * *", want: `cron: day of week "*" at column 12 and day of month are both given, but one of them must be ?; write ? as day of week`},
		{expr: "0 0 12 * * MON", want: `write ? as day of month`},
		{expr: "0 0 12 1 * MON", want: `to fire on either, use two jobs`},
		{expr: "0 0 12 1 * MON 2026 x", want: `cron: expression "x" at column 21 must have 6 or 7 fields, second to day of week and perhaps year, but has 8`},

		{profile: Unix, expr: "0 */5 * * * ?", want: "must have 5 fields, minute to day of week, but has 6; six fields, with seconds, are Quartz's"},
		{profile: Unix, expr: "0 0 * * 8", want: "must be 0 to 7 (0 and 7 are Sunday)"},
		{profile: Unix, expr: "0 0 ? * 1", want: "must not be ?, which only Quartz has; write *"},
		{profile: Unix, expr: "0 0 L * *", want: "has L, W or #, which only Quartz has"},
		{profile: Unix, expr: "0 0 15W * *", want: "has L, W or #, which only Quartz has"},
		{profile: Unix, expr: "0 0 * * 5L", want: "has L, W or #, which only Quartz has"},
		{profile: Unix, expr: "0 0 * * FRI#1", want: "has L, W or #, which only Quartz has"},
		{profile: Unix, expr: "0 22-2 * * *", want: "has a range that ends before it starts; write two ranges"},
		{profile: Unix, expr: "0 0 * * FRI-MON", want: "has a range that ends before it starts; write two ranges"},

		// Limits.
		{expr: strings.Repeat("0", 2049), want: `cron: expression "0" at column 2049 continues after 2048 bytes, the longest allowed`},
		{expr: "0 0 0 1 1 ? 2026" + strings.Repeat(",2027", 64), want: "has more than 64 items"},
		{expr: "0 0 0 1 1 ? \xff\xfe", want: `cron: year "\xff\xfe" at column 13 has a character that cannot start an item`},
		{expr: "0 0 0 99999999999999999999999999 1 ?", want: "must be 1 to 31"},
		{expr: "0\n0\n0\n1\n1\n?", want: "must have 6 or 7 fields, second to day of week and perhaps year, but has 1"},
	} {
		_, err := Parse(tt.expr, tt.profile)
		require.ErrorContains(t, err, tt.want, "%v %q", tt.profile, tt.expr)
		var e *ParseError
		require.True(t, errors.As(err, &e))
		requireHonest(t, tt.expr, e)
	}
}
