//go:build !race

package hashedwheel

const raceEnabled = false
