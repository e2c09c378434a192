package broker

// Answers runs the answers to calls, at most [AnswersAtOnce] at the same time.
type Answers struct{ places chan struct{} }

// NewAnswers returns Answers of which none runs.
func NewAnswers() *Answers { return &Answers{make(chan struct{}, AnswersAtOnce)} }

// Go waits for a place and runs answer in a goroutine.
func (a *Answers) Go(answer func()) {
	a.places <- struct{}{}
	go func() { // Wait waits for it
		defer func() { <-a.places }()
		answer()
	}()
}

// Wait waits for the answers that run. Go must not be called any more.
func (a *Answers) Wait() {
	for range AnswersAtOnce {
		a.places <- struct{}{}
	}
}
