package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// hearing makes the page note what live regions say: how many ms after the page was opened, which
// region, and its text.
const hearing = `(() => {
	window.said = [];
	const ids = new Map();
	new MutationObserver((changes) => {
		const regions = new Set(changes.map((c) => (c.target.nodeType === 1 ? c.target : c.target.parentElement)?.closest("[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]")));
		for (const r of regions) {
			const text = r?.innerText.trim();
			if (!text || r.getAttribute("aria-live") === "off") continue;
			ids.has(r) || ids.set(r, ids.size);
			said.push({ at: performance.now(), region: ids.get(r), text });
		}
	}).observe(document, { subtree: true, childList: true, characterData: true });
})()`

type utterance struct {
	At     float64
	Region int
	Text   string
}

// heard returns what was said, and fails the test if a region spoke twice within five seconds.
func (t *tab) heard(where string) (said []utterance) {
	t.t.Helper()
	t.eval("said", &said)
	last := map[int]utterance{}
	for _, u := range said {
		if before, spoke := last[u.Region]; spoke && u.At-before.At < 4900 { // timers and frames are coarse
			t.t.Errorf("%s: %q and, %.0f ms later, %q", where, before.Text, u.At-before.At, u.Text)
		}
		last[u.Region] = u
	}
	return said
}

// TestVoices listens as screen readers do: what changes by itself is said at most once in five
// seconds, and its last state always.
func TestVoices(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	pour := s.job(group, "write much", map[string]any{"executorHandler": "pour"})
	for i := range 8 {
		s.job(group, fmt.Sprintf("settle %d", i), nil)
	}
	says := func(tab *tab, text string) {
		t.Helper()
		tab.until("it is said: "+text, fmt.Sprintf(`said.at(-1)?.text.includes(%q)`, text))
	}
	t.Run("the tail of a log", func(t *testing.T) {
		tab := s.open(fmt.Sprintf("runs/%d", s.run(pour, "7")))
		tab.eval(hearing, nil)
		says(tab, "Ended")
		require.LessOrEqual(t, len(tab.heard("log")), 6)
	})
	t.Run("a selection that grows", func(t *testing.T) {
		tab := s.open("jobs")
		tab.until("rows", `document.querySelectorAll("tbody tr").length === 9`)
		tab.eval(hearing, nil)
		for range 8 {
			tab.press("j")
			tab.press("x")
		}
		says(tab, "8 jobs selected")
		require.Less(t, len(tab.heard("selection")), 8)
	})
	t.Run("a dry run", func(t *testing.T) {
		tab := s.open("jobs/new")
		tab.allowed = append(tab.allowed, "400 (Bad Request)") // an expression that is half typed
		tab.eval(hearing, nil)
		for _, hour := range []string{"01", "02", "03"} {
			tab.typeIn("Schedule", "0 30 "+hour+" * * ?")
			tab.sees(hour + ":30:00")
		}
		says(tab, "03:30")
		for _, u := range tab.heard("dry run") {
			require.Less(t, len(u.Text), 200, "more than one listens to: %s", u.Text)
		}
	})
}
