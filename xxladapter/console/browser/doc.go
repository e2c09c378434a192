// Package browser tests the console in Chromium, against a scheduler with real executors. It is a
// module of its own, so that what drives the browser reaches no user's module graph.
package browser
