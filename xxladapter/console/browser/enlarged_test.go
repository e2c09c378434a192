package browser

import (
	"fmt"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// hidden lists the controls of the page that something else covers, or that lie outside of the
// window, while they have the focus: WCAG 2.2, 2.4.11.
const hidden = `(() => {
	const found = [];
	for (const e of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")) {
		if (e.disabled || !e.checkVisibility({ visibilityProperty: true }) || e.closest(".skip, .rail, [inert]")) continue;
		e.focus();
		if (document.activeElement !== e) continue;
		const shown = e.closest("label") ?? e, r = shown.getBoundingClientRect();
		const x = [0.5, 0.1, 0.9].map((f) => r.left + f * r.width), y = [0.5, 0.1, 0.9].map((f) => r.top + f * r.height);
		const seen = x.some((x) => y.some((y) => { const top = document.elementFromPoint(x, y); return top && (shown.contains(top) || top.contains(shown) && top !== document.body && top !== document.documentElement && !top.matches("main") || top.closest("label")?.control === e); }));
		if (!seen) found.push(e.outerHTML.slice(0, 120) + " at " + Math.round(r.left) + "," + Math.round(r.top));
	}
	return found;
})()`

// enlarged shows the page at 200 % in a window of 1440 by 900, and at 400 % in one of 1280 by 1024.
// The page must not scroll sideways (WCAG 2.2, 1.4.4 and 1.4.10), and the focused control must be
// visible.
func (t *tab) enlarged(name string) {
	t.t.Helper()
	t.look("en", "light", 1440)
	for _, zoom := range []struct{ times, width, height int64 }{{2, 1440, 900}, {4, 1280, 1024}} {
		t.do(chromedp.EmulateViewport(zoom.width/zoom.times, zoom.height/zoom.times, func(p *emulation.SetDeviceMetricsOverrideParams, _ *emulation.SetTouchEmulationEnabledParams) {
			p.DeviceScaleFactor = float64(zoom.times)
		}))
		where := fmt.Sprintf("%s-zoom-%d", name, zoom.times)
		t.fits(where)
		t.picture(where)
		var covered []string
		t.eval(hidden, &covered)
		for _, c := range covered {
			t.t.Errorf("%s: has the focus and is not seen: %s", where, c)
		}
	}
}
