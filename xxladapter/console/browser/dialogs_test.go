package browser

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// drag presses the mouse at the first point, moves it to the second one, and lets it go there.
func (t *tab) drag(from, to [2]float64) {
	t.t.Helper()
	t.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for _, e := range []struct {
			is input.DispatchMouseEventType
			at [2]float64
		}{{input.DispatchMouseEventTypeMousePressed, from}, {input.DispatchMouseEventTypeMouseMoved, to}, {input.DispatchMouseEventTypeMouseReleased, to}} {
			_, err := cdp.Call(ctx, target, input.DispatchMouseEvent, input.DispatchMouseEventParams{
				Type: e.is, X: e.at[0], Y: e.at[1], Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// Selecting text with the mouse beyond the edge of a dialog leaves the dialog open. A click beside
// the dialog closes it.
func TestTheMouseLeavesADialog(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.group("Orders")
	tab := s.open("settings")
	tab.click("Pause schedules")
	tab.typeIn("Note", "the yearly stocktaking")
	var at, beside [2]float64
	tab.eval(`((box) => [box.left + 60, box.top + box.height / 2])([...document.querySelectorAll("dialog input")][0].getBoundingClientRect())`, &at)
	tab.eval(`((box) => [box.left - 40, box.top + 20])(document.querySelector("dialog").getBoundingClientRect())`, &beside)
	tab.drag(at, beside)
	tab.until("what was typed is still there", `document.querySelector("dialog input")?.value === "the yearly stocktaking"`)
	tab.until("and selected", `getSelection().toString() !== "" || document.activeElement.selectionEnd > document.activeElement.selectionStart`)
	tab.drag(beside, beside)
	tab.until("a click beside it closes it", `!document.querySelector("dialog")`)
}

// A dialog gives the focus to its first field, or to what cancels it, and not to the button that
// closes it. One that is higher than the window keeps its buttons in view.
func TestDialogs(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", nil)
	tab := s.open("jobs")
	tab.click("Run settle orders now")
	tab.until("the parameter has the focus", `document.activeElement.matches("dialog textarea")`)
	tab.click("Cancel")
	tab.tick("Select settle orders")
	tab.click("Stop")
	tab.sees("Stop 1 job?")
	tab.visit(fmt.Sprintf("jobs/%d", job))
	tab.click("Delete")
	tab.until("what cancels it has the focus", `document.activeElement.matches("dialog button") && document.activeElement.innerText === "Cancel"`)

	tab.visit("settings")
	tab.look("en", "dark", 1024)
	tab.click("Edit cn")
	tab.until("each day has a line", `/^(\d{4}-\d\d-\d\d\n)+\d{4}-\d\d-\d\d$/.test(document.querySelector("dialog textarea")?.value)`)
	tab.until("its buttons are in view", `((box) => box.top > 0 && box.bottom <= innerHeight)(document.querySelector("dialog .dialog-foot button[type=submit]").getBoundingClientRect())`)
	tab.accessible("calendar")
	tab.picture("calendar-dark-1024")
}

// With the high contrast of the system, what is on, chosen or selected still looks different.
func TestHighContrast(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	s.job(group, "settle orders", nil)
	s.call("POST", fmt.Sprintf("/jobs/%d/start", s.job(group, "close the year", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 1 1 ?"})), nil, nil)
	tab := s.open("jobs")
	tab.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}},
		})
		return err
	}))
	differ := func(what, one, other string) {
		t.Helper()
		tab.until(what, fmt.Sprintf(`getComputedStyle(document.querySelector(%q)).backgroundColor !== getComputedStyle(document.querySelector(%q)).backgroundColor`, one, other))
	}
	differ("a switch that is on", ".switch[aria-checked=true]", ".switch[aria-checked=false]")
	tab.until("its knob", `getComputedStyle(document.querySelector(".switch"), "::after").backgroundColor !== getComputedStyle(document.querySelector(".switch")).backgroundColor`)
	differ("the page in the rail", ".rail-list a[aria-current]", ".rail-list a:not([aria-current])")
	tab.picture("jobs-high-contrast")
	tab.click("Search")
	differ("the chosen line of the search", "li[aria-selected=true]", "li[aria-selected=false]")
	tab.picture("search-high-contrast")
	tab.visit("runs")
	differ("the pressed filter", ".segments [aria-pressed=true]", ".segments")
}
