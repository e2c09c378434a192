// Package errortext returns the rule that an error for the user is about, and the error's message
// in Chinese.
//
// Errors are written in English where they are found, as field, value and rule: that is their
// message. This package knows the formats of these messages, so that a program gets a code that
// stays the same when the English is reworded, and a person who reads Chinese gets Chinese. An
// error whose format is not known here has neither, and everybody sees its English message.
package errortext

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Broken is the rule that an error is about.
type Broken struct {
	Rule    string            // the code of the rule, such as range
	Params  map[string]string // values by name, mostly field and value; never nil
	Chinese string            // the message in Chinese
}

// verb matches the verbs of a format.
var verb = regexp.MustCompile(`%[a-z]`)

// known has the rule of each format.
var known = byFormat()

// A reading says what the verbs of a format mean.
type reading struct {
	rule  *rule
	names []string          // the parameters that the verbs stand for
	verbs []string          // those that write the parameters, without quotes
	fixed map[string]string // the parameters that the format says in words
}

func byFormat() map[string]reading {
	all := map[string]reading{}
	for i := range table {
		for _, f := range table[i].forms {
			r := reading{rule: &table[i], fixed: map[string]string{}}
			for name := range strings.SplitSeq(f.params, ";") {
				if name, value, fixed := strings.Cut(name, "="); fixed {
					r.fixed[name] = value
				} else if name != "" {
					r.names = append(r.names, name)
				}
			}
			for _, verb := range verb.FindAllString(f.english, -1) {
				r.verbs = append(r.verbs, strings.Replace(verb, "%q", "%s", 1))
			}
			all[f.english] = r
		}
	}
	return all
}

// Of returns the rule that an error is about. It reports false for an error whose format is not
// known.
func Of(err *xxladapter.Error) (broken Broken, is bool) {
	if broken, is := ofCron(err.Err); is && err.Format == "" {
		return broken, true
	}
	if broken, is := ofSeveral(err); is {
		return broken, true
	}
	format := err.Format
	if format == "" {
		format = err.Message
	}
	r, is := known[format]
	if !is || len(r.names) != len(err.Args) {
		return broken, false
	}
	broken = Broken{Rule: r.rule.code, Params: maps.Clone(r.fixed)}
	said := []string{}
	for name, value := range r.fixed {
		said = append(said, "{"+name+"}", inChinese(name, value))
	}
	for i, arg := range err.Args {
		name, value := r.names[i], fmt.Sprintf(r.verbs[i], arg)
		broken.Params[name] = value
		if inner, is := innerChinese(arg); is {
			value = inner
		}
		said = append(said, "{"+name+"}", inChinese(name, value))
	}
	broken.Chinese = strings.NewReplacer(said...).Replace(r.rule.chinese)
	return broken, true
}

// ofSeveral returns the rules that a value breaks. Several are returned as one rule with all their
// messages, and one is returned as it is. It reports false for an error of another kind, or with a
// rule that is not known.
func ofSeveral(err *xxladapter.Error) (broken Broken, is bool) {
	if len(err.Args) != 1 {
		return broken, false
	}
	all, is := err.Args[0].(xxladapter.BrokenRules)
	if !is {
		return broken, false
	}
	var chinese []string
	for _, one := range all {
		var inner *xxladapter.Error
		if !errors.As(one, &inner) {
			return Broken{}, false
		}
		if broken, is = Of(inner); !is {
			return Broken{}, false
		}
		chinese = append(chinese, broken.Chinese)
	}
	if len(chinese) > 1 {
		broken = Broken{Rule: "several", Params: map[string]string{}, Chinese: strings.Join(chinese, "；")}
	}
	return broken, len(chinese) > 0
}

// inChinese returns a parameter as the Chinese text shows it: a kind of thing, a provider's
// reason and the shape of a value in Chinese, and everything else as it is.
func inChinese(name, value string) string {
	texts := map[string]map[string]string{"kind": kinds, "reason": reasons, "is": shapes, "want": shapes, "allowed": shapes}[name]
	if text := texts[value]; text != "" {
		return text
	}
	return value
}

// innerChinese returns the Chinese message of a value that is an error for the user, or of a
// schedule.
func innerChinese(value any) (string, bool) {
	err, is := value.(error)
	var inner *xxladapter.Error
	if !is {
		return "", false
	}
	if !errors.As(err, &inner) {
		broken, is := ofCron(err)
		return broken.Chinese, is
	}
	broken, is := Of(inner)
	return broken.Chinese, is
}
