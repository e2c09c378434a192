package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tags are set in the form of a job and for many jobs at once, and the list filters by them.
func TestTags(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	first := s.job(group, "settle orders", map[string]any{"tags": []string{"billing", "夜间", "a-very-long-tag-of-the-settlement-service", "four"}})
	second := s.job(group, "collect payments", nil)
	tab := s.open(fmt.Sprintf("jobs/%d/edit", second))
	tab.typeIn("Tags", "nightly， billing")
	tab.click("Review changes")
	tab.until("the difference is shown", `document.querySelector("dialog .diff")?.innerText.includes("nightly， billing")`)
	tab.click("Save")
	tab.until("the page has them", `[...document.querySelectorAll("a.tag")].map((e) => e.innerText).join() === "billing,nightly"`)
	tab.visit("jobs")
	tab.sees("+2")
	tab.accessible("tags")
	tab.picture("tags")
	tab.click("nightly")
	tab.until("one job has it", `document.querySelectorAll("tbody tr").length === 1 && location.search === "?tag=nightly"`)
	tab.choose("Tags", "billing")
	tab.until("two have this one", `document.querySelectorAll("tbody tr").length === 2`)
	tab.tick("Select settle orders")
	tab.click("Select all 2 that match")
	tab.click("Change")
	tab.choose("Field", "tags")
	tab.typeIn("Tags", "moved")
	tab.click("Change")
	tab.sees("2 jobs done.")
	tab.click("Undo")
	tab.sees("2 jobs taken back.")
	var job struct{ Tags []string }
	s.call("GET", fmt.Sprintf("/jobs/%d", first), nil, &job)
	require.Len(t, job.Tags, 4)
}

// A tag may have a Chinese comma. Where somebody types one, the form takes it for the end of a tag.
func TestATagWithAChineseComma(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", map[string]any{"tags": []string{"日终，夜间", "billing"}})
	saved := func(owner string) (is struct {
		Author string
		Tags   []string
	}) {
		t.Helper()
		s.call("GET", fmt.Sprintf("/jobs/%d", job), nil, &is)
		require.Equal(t, owner, is.Author)
		return is
	}
	tab := s.open(fmt.Sprintf("jobs/%d/edit", job))
	save := func() {
		tab.click("Review changes")
		tab.click("Save")
		tab.until("the page of the job is there", `location.pathname.endsWith("/jobs/1")`)
	}
	tab.typeIn("Owner", "li.na")
	save()
	require.ElementsMatch(t, []string{"日终，夜间", "billing"}, saved("li.na").Tags)
	tab.visit(fmt.Sprintf("jobs/%d/edit", job))
	tab.typeIn("Tags", "日终，夜间, billing，nightly")
	save()
	require.ElementsMatch(t, []string{"日终，夜间", "billing", "nightly"}, saved("li.na").Tags)
}
