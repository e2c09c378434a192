package broker

// Answers runs the answers to calls, at most [AnswersAtOnce] at the same time.
type Answers struct {
	places chan struct{}
	ended  chan struct{} // closed by Wait
}

// NewAnswers returns Answers that run nothing yet.
func NewAnswers() *Answers {
	return &Answers{make(chan struct{}, AnswersAtOnce), make(chan struct{})}
}

// Go waits for a place and runs answer in a goroutine. Once Wait has been called, it may drop the
// answer: a subscription that has ended can still deliver a call.
func (a *Answers) Go(answer func()) {
	select {
	case a.places <- struct{}{}:
	case <-a.ended:
		return
	}
	go func() { // Wait waits for it
		defer func() { <-a.places }()
		answer()
	}()
}

// Wait waits for the answers that run. It must be called once.
func (a *Answers) Wait() {
	close(a.ended)
	for range AnswersAtOnce {
		a.places <- struct{}{}
	}
}
