package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// again returns after how long a text is offered again: ten seconds for each attempt so far.
func again(attempts int) time.Duration { return time.Duration(attempts) * 10 * time.Second }

// claimTexts returns the log ids of the claims.
func (b *fullFixture) claimTexts(limit int) (ids []int64) {
	b.Helper()
	claims, err := b.store.ClaimTexts(b.ctx, limit, again)
	b.NoError(err)
	for _, c := range claims {
		ids = append(ids, c.Log.ID)
	}
	return ids
}

// saveText stores one text.
func (b *fullFixture) saveText(text xxladapter.RunText) {
	b.Helper()
	b.NoError(b.store.SaveTexts(b.ctx, []xxladapter.RunText{text}))
}

// wanted adds a run that has ended and whose text is wanted.
func (b *fixture) wanted(jobID int64) int64 {
	b.Helper()
	fire := b.run(jobID, 0)
	b.settle(fire, "", 200)
	_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 500, WantText: true})
	b.NoError(err)
	return fire.LogID
}

func (m *model) claimTexts(t *rapid.T) {
	limit := rapid.IntRange(1, 3).Draw(t, "limit")
	want, wantErr := m.want.ClaimTexts(m.ctx, limit, again)
	got, gotErr := m.got.ClaimTexts(m.ctx, limit, again)
	sameError(t, wantErr, gotErr)
	require.Len(t, got, len(want))
	for i := range want {
		got[i].Log.ID, got[i].Log.JobID = m.logs.back(got[i].Log.ID), m.jobs.back(got[i].Log.JobID)
	}
	require.Equal(t, want, got)
}

func (m *model) saveTexts(t *rapid.T) {
	var texts []xxladapter.RunText
	for range rapid.IntRange(1, 3).Draw(t, "texts") {
		l := m.logs.draw(t, "log")
		if slices.ContainsFunc(texts, func(t xxladapter.RunText) bool { return t.LogID == l }) {
			continue
		}
		texts = append(texts, xxladapter.RunText{
			LogID: l,
			Text:  rapid.SampledFrom([]string{"", "one line\n", "二\nlines\n"}).Draw(t, "text"), Size: 9,
			Complete: rapid.Bool().Draw(t, "complete"), Note: rapid.SampledFrom([]string{"", "note"}).Draw(t, "note"),
		})
	}
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		texts := slices.Clone(texts)
		for i := range texts {
			texts[i].LogID = id(m.logs, texts[i].LogID)
		}
		return s.SaveTexts(m.ctx, texts)
	})
}

// sameTexts compares the texts of the newest rows.
func (m *model) sameTexts(t *rapid.T, logs []*xxladapter.Log) {
	for _, l := range logs[max(0, len(logs)-3):] {
		want, wantErr := m.want.RunText(m.ctx, l.ID)
		got, gotErr := m.got.RunText(m.ctx, m.logs.of(l.ID))
		sameError(t, wantErr, gotErr)
		if want != nil {
			got.LogID = want.LogID
		}
		require.Equal(t, want, got)
	}
}

var runTextRules = []fullRule{
	{"ATextIsReadAsItWasSaved", func(b *fullFixture) {
		id := b.addJob("job")
		for _, text := range []xxladapter.RunText{
			{Text: "line one\nline 二\n", Size: 18, Complete: true},
			{Text: "", Note: "the executor is gone"},
			{Text: strings.Repeat("0123456789\x00\xff\r\n", 100_000), Size: 1 << 40, Note: "cut"},
		} {
			text.LogID = b.ended(id, 0, 200)
			b.saveText(text)
			got, err := b.store.RunText(b.ctx, text.LogID)
			b.NoError(err)
			b.True(*got == text, "%d bytes", len(text.Text))
		}
		_, err := b.store.RunText(b.ctx, 4711)
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"ATextThatIsSavedAgainIsReplaced", func(b *fullFixture) {
		l := b.ended(b.addJob("job"), 0, 200)
		for _, text := range []string{"first", "second"} {
			b.saveText(xxladapter.RunText{LogID: l, Text: text})
		}
		got, err := b.store.RunText(b.ctx, l)
		b.NoError(err)
		b.Equal("second", got.Text)
	}},
	{"ATextNeedsItsRow", func(b *fullFixture) {
		b.saveText(xxladapter.RunText{LogID: 4711, Text: "text"})
		_, err := b.store.RunText(b.ctx, 4711)
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"ManyTextsAreSavedTogether", func(b *fullFixture) {
		id := b.addJob("job")
		var texts []xxladapter.RunText
		for i := range testserver.Count(30, 100) {
			l := b.wanted(id)
			if i%10 == 3 {
				b.saveText(xxladapter.RunText{LogID: l, Text: "earlier"})
			}
			texts = append(texts, xxladapter.RunText{
				LogID: l, Text: strings.Repeat("'二\\\x00", i), Size: int64(i), Complete: i%2 == 0,
				Note: fmt.Sprint("note ", i),
			})
		}
		b.clock.Advance(time.Hour)
		left := b.wanted(id)
		b.NoError(b.store.SaveTexts(b.ctx, append(texts, xxladapter.RunText{LogID: 4711})))
		b.NoError(b.store.SaveTexts(b.ctx, nil))
		for _, want := range texts {
			got, err := b.store.RunText(b.ctx, want.LogID)
			b.NoError(err)
			b.Equal(want, *got)
		}
		b.clock.Advance(time.Hour)
		b.Equal([]int64{left}, b.claimTexts(200))
	}},
	{"TextsOfDifferentAttemptsAreClaimedTogether", func(b *fullFixture) {
		id := b.addJob("job")
		first := b.wanted(id)
		b.clock.Advance(time.Minute)
		b.Equal([]int64{first}, b.claimTexts(10))
		second := b.wanted(id)
		b.clock.Advance(time.Minute)
		claims, err := b.store.ClaimTexts(b.ctx, 10, again)
		b.NoError(err)
		b.Equal([]xxladapter.TextClaim{{Log: b.log(second), Attempts: 1}, {Log: b.log(first), Attempts: 2}}, claims)
		b.clock.Advance(10 * time.Second)
		b.Equal([]int64{second}, b.claimTexts(10))
		b.clock.Advance(10 * time.Second)
		b.Equal([]int64{first}, b.claimTexts(10))
	}},
	{"ALongNoteIsCutAtCharacters", func(b *fullFixture) {
		l := b.ended(b.addJob("job"), 0, 200)
		b.saveText(xxladapter.RunText{LogID: l, Note: strings.Repeat("長", xxladapter.MaxTextNote+1)})
		got, err := b.store.RunText(b.ctx, l)
		b.NoError(err)
		b.Equal(strings.Repeat("長", xxladapter.MaxTextNote), got.Note)
	}},
	{"AWantedTextIsOfferedAgainUntilItIsSaved", func(b *fullFixture) {
		id := b.addJob("job")
		first := b.wanted(id)
		b.ended(id, 0, 500) // not wanted
		b.Empty(b.claimTexts(10), "the executor still writes")
		b.clock.Advance(xxladapter.TextDelay - 2*time.Millisecond)
		b.Empty(b.claimTexts(10))
		second := b.wanted(id)
		b.clock.Advance(2 * time.Millisecond)
		claims, err := b.store.ClaimTexts(b.ctx, 10, again)
		b.NoError(err)
		b.Equal([]xxladapter.TextClaim{{Log: b.log(first), Attempts: 1}}, claims)
		b.Empty(b.claimTexts(10), "somebody has it")

		b.clock.Advance(10 * time.Second)
		b.Equal([]int64{second}, b.claimTexts(1), "it has waited longer")
		b.Equal([]int64{first}, b.claimTexts(1))
		b.Empty(b.claimTexts(1))
		b.clock.Advance(19 * time.Second)
		b.Equal([]int64{second}, b.claimTexts(10), "the second attempt of the other one has 20 seconds")
		b.saveText(xxladapter.RunText{LogID: second, Text: "text", Complete: true})
		b.clock.Advance(time.Hour)
		claims, err = b.store.ClaimTexts(b.ctx, 10, again)
		b.NoError(err)
		b.Len(claims, 1)
		b.Equal(first, claims[0].Log.ID)
		b.Equal(3, claims[0].Attempts)
	}},
	{"OnlyAResultThatIsAppliedAsksForItsText", func(b *fullFixture) {
		id := b.addJob("job")
		l := b.ended(id, 0, 200)
		applied, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: l, Code: 500, WantText: true})
		b.NoError(err)
		b.False(applied)
		b.clock.Advance(time.Hour)
		b.Empty(b.claimTexts(10))
	}},
	{"AJobTakesItsTextsAlong", func(b *fullFixture) {
		id, other := b.addJob("job"), b.addJob("other")
		l, saved, stays := b.wanted(id), b.ended(id, 0, 200), b.wanted(other)
		b.saveText(xxladapter.RunText{LogID: saved, Text: "text"})
		b.clock.Advance(time.Minute)
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		b.Equal(2, b.purge(xxladapter.LogPurge{Removed: true}, 10))
		b.Equal([]int64{stays}, b.claimTexts(10))
		_, err := b.store.RunText(b.ctx, saved)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.saveText(xxladapter.RunText{LogID: l, Text: "text"})
		_, err = b.store.RunText(b.ctx, l)
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"ATextIsClaimedByOneOfMany", func(b *fullFixture) {
		id := b.addJob("job")
		const texts = 20
		for range texts {
			b.wanted(id)
		}
		b.clock.Advance(time.Minute)
		got := make([][]int64, 4)
		for _, err := range race(len(got), func(i int) error {
			for range texts {
				claims, err := b.store.ClaimTexts(b.ctx, 3, func(int) time.Duration { return time.Hour })
				for _, c := range claims {
					got[i] = append(got[i], c.Log.ID)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}) {
			b.NoError(err)
		}
		seen := map[int64]bool{}
		for _, ids := range got {
			for _, id := range ids {
				b.False(seen[id])
				seen[id] = true
			}
		}
		b.Len(seen, texts)
	}},
	{"SavingATextMayRaceWithItsRow", func(b *fullFixture) {
		id := b.addJob("job")
		for range 10 {
			l := b.ended(id, 0, 200)
			errs := race(2, func(i int) error {
				if i == 0 {
					_, err := b.store.PurgeLogs(b.ctx, xxladapter.LogPurge{JobID: id}, 10)
					return err
				}
				return b.store.SaveTexts(b.ctx, []xxladapter.RunText{{LogID: l, Text: "text"}})
			})
			b.NoError(errors.Join(errs...))
			_, err := b.store.RunText(b.ctx, l)
			b.ErrorIs(err, xxladapter.ErrNotFound, "the row is gone, and its text with it")
		}
	}},
}
