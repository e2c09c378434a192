package xxladapter

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

const (
	// MaxTags is how many tags a job may have.
	MaxTags = 20
	// maxTag is the length of the longest tag, in characters.
	maxTag = 64
)

// SetTags sets the tags of the job, sorted and without duplicates.
func (j *Job) SetTags(tags []string) {
	tags = slices.Clone(tags)
	slices.Sort(tags)
	if j.Tags = slices.Compact(tags); len(j.Tags) == 0 {
		j.Tags = nil
	}
}

// checkTags checks what [Job.Validate] says about the tags.
func (j *Job) checkTags() error {
	if len(j.Tags) > MaxTags {
		return Invalidf(errorrule.EntriesAtMost, "%s has %d entries, must have at most %d", "tags", len(j.Tags), MaxTags)
	}
	for _, tag := range j.Tags {
		if err := CheckTag("tags", tag); err != nil {
			return err
		}
	}
	return nil
}

// CheckTag returns an error for a text that cannot be a tag. The error names the field.
func CheckTag(field, tag string) error {
	if err := checkText(field, tag, 1, maxTag); err != nil {
		return err
	}
	if tag != strings.TrimSpace(tag) || strings.Contains(tag, ",") {
		return Invalidf(errorrule.Tag, "%s contains %q, must have no comma, and no blank at its ends", field, tag)
	}
	return nil
}

// storedSettings are the settings and the tags of a job as stores keep them.
type storedSettings struct {
	Settings
	Tags []string `json:"tags,omitempty"`
}

// SettingsText returns the settings and the tags of the job as stores keep them: JSON, and an empty
// text if the job has neither.
func (j *Job) SettingsText() string {
	tags := Job{}
	tags.SetTags(validTexts(j.Tags))
	if len(tags.Tags) == 0 {
		return j.Settings.Text()
	}
	text, _ := json.Marshal(storedSettings{j.Settings, tags.Tags}) // texts and numbers only: cannot fail
	return string(text)
}

// ParseSettings sets the settings and the tags of the job to what [Job.SettingsText] returned. Text
// that another program damaged gives neither, because one damaged row must not stop the others.
func (j *Job) ParseSettings(text string) {
	var s storedSettings
	if text == "" || json.Unmarshal([]byte(text), &s) != nil {
		s = storedSettings{}
	}
	j.Settings, j.Tags = s.Settings, s.Tags
}

// validTexts returns the texts as every store can keep them; see [ValidText].
func validTexts(texts []string) []string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = ValidText(text)
	}
	return texts
}
