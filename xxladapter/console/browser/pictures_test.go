package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var pictures = flag.String("pictures", "", "folder that TestPictures writes the README's pictures to")

// picturesBytes limits the total size of the pictures, because every clone of the repository
// contains them.
const picturesBytes = 120 << 10

// TestPictures makes the pictures of the README.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("makes files; set -pictures to run it")
	}
	s := newSite(t, "")
	made := populate(s)
	fold := func() {
		_, err := s.store.FoldStats(t.Context(), 1000)
		require.NoError(t, err)
	}
	fold()
	time.Sleep(xxladapter.StatDelay + time.Second) // the store counts no younger runs
	fold()
	require.NoError(t, os.MkdirAll(*pictures, 0o755))
	tab := s.open("")
	total := 0
	for _, p := range []struct{ name, path, lang, theme string }{
		{"overview", "", "en", "light"},
		{"jobs", "jobs", "zh-CN", "dark"},
		{"forecast", "forecast?hours=168&group=2", "en", "light"},
		{"code", fmt.Sprintf("jobs/%d/code?from=1", made.script), "en", "dark"},
		{"why", fmt.Sprintf("jobs/%d/why", made.failing), "en", "light"},
		{"timeline", fmt.Sprintf("jobs/%d/timeline?span=1h", made.failing), "zh-CN", "light"},
	} {
		tab.look(p.lang, p.theme, 1024)
		tab.do(chromedp.EmulateViewport(1024, 640))
		tab.visit(p.path)
		tab.until("a comparison is drawn", `[...document.querySelectorAll(".compare")].every((e) => e.shadowRoot?.querySelector(".cm-changedLine"))`)
		data, err := chromedp.Run(tab.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
			quality := int64(16)
			r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
			if err != nil {
				return nil, err
			}
			return r.Data, nil
		})
		require.NoError(t, err)
		total += len(data)
		require.NoError(t, os.WriteFile(filepath.Join(*pictures, p.name+".webp"), data, 0o644))
	}
	require.LessOrEqual(t, total, picturesBytes)
}
