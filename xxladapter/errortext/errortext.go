// Package errortext returns the messages of errors for the user in Chinese.
//
// An error is written in English where it is made, and carries the rule that it is about with the
// values of its parameters. This package has a text for each rule, so that a person who reads
// Chinese gets Chinese. Package admin sends both texts.
package errortext

import (
	"errors"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Chinese returns the message of an error in Chinese. It is empty for an error about no rule, and
// for one that only passes on what another error says, if that has no text in Chinese.
func Chinese(err *xxladapter.Error) string {
	text := texts[err.Rule]
	said := []string{}
	for i, name := range err.Rule.Params() {
		if i == len(err.Args) {
			break
		}
		place, value := "{"+name+"}", inChinese(name, err.Args[i])
		if value == "" && text == place {
			return ""
		}
		if value == "" {
			value = errorrule.Text(err.Args[i])
		}
		said = append(said, place, value)
	}
	return strings.NewReplacer(said...).Replace(text)
}

// inChinese returns the value of a parameter in Chinese: a kind of thing, a provider's reason, the
// shape of a value, and what another error says. It is empty for a value that all languages share,
// and for an error without a text.
func inChinese(name string, value any) string {
	switch value := value.(type) {
	case xxladapter.BrokenRules:
		return chineseOfAll(value)
	case error:
		return chineseOf(value)
	}
	return words[name][errorrule.Text(value)]
}

func chineseOfAll(broken xxladapter.BrokenRules) string {
	texts := make([]string, len(broken))
	for i, err := range broken {
		if texts[i] = chineseOf(err); texts[i] == "" {
			return ""
		}
	}
	return strings.Join(texts, "；")
}

// chineseOf returns the message of an error for the user, or of one about a schedule.
func chineseOf(err error) string {
	var refused *xxladapter.Error
	if errors.As(err, &refused) {
		return Chinese(refused)
	}
	return ofCron(err)
}
