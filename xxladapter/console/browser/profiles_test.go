package browser

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// profiles keeps windows that no test uses. A new window with a profile of its own costs Chromium
// more CPU time than emptying a used one, so each test hands its windows on, emptied.
var profiles = make(chan context.Context, 32)

// profile returns a window whose profile is empty. A test that has not failed gives the window back
// when it ends. A benchmark gets a new window and closes it, because it measures a new profile.
func (s *site) profile() context.Context {
	s.t.Helper()
	var window context.Context
	end := func() {}
	if _, benchmark := s.t.(*testing.B); !benchmark {
		select {
		case window = <-profiles:
		default:
		}
	}
	if window == nil {
		window, end = chromedp.NewContext(needBrowser(s.t), chromedp.WithNewBrowserContext())
		// The window lasts as long as the context of this call. It has the focus, whatever other
		// tests do.
		require.NoError(s.t, chromedp.Do(window, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
			return err
		})))
	}
	s.t.Cleanup(func() {
		if _, benchmark := s.t.(*testing.B); benchmark || s.t.Failed() || empty(window, s.url) != nil {
			end()
			return
		}
		select {
		case profiles <- window:
		default:
			end()
		}
	})
	return window
}

// nothing returns the URL of an empty page on the host of all sites, so that the browser changes to
// it and to the next site within one process. Another process would cost CPU time.
var nothing = sync.OnceValue(func() string {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
	})).URL
})

// empty makes the window forget a site and all that a test may have changed in the window.
func empty(window context.Context, origin string) error {
	// A form with changes asks before it is left: its window is not used again.
	ctx, cancel := context.WithTimeout(window, 3*time.Second)
	defer cancel()
	return chromedp.Do(ctx, chromedp.Navigate(nothing()), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err1 := cdp.Call(ctx, t, network.ClearBrowserCookies, cdp.Empty{})
		_, err2 := cdp.Call(ctx, t, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: origin, StorageTypes: "all"})
		_, err3 := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
		_, err4 := cdp.Call(ctx, t, network.Disable, cdp.Empty{})
		_, err5 := cdp.Call(ctx, t, cdplog.Disable, cdp.Empty{})
		return errors.Join(err1, err2, err3, err4, err5)
	}))
}
