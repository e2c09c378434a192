// Package completion has the values by which shells complete flags.
package completion

import (
	"slices"

	"github.com/posener/complete"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// Choices returns the values of flags, by the flag's tag predictor, in new slices. Kong checks
// those of the type [cron.Profile]; the API checks the others.
func Choices() map[string][]string {
	glueTypes := texts(xxladapter.GlueType("").Values())
	profiles := make([]string, 0, 4)
	for _, p := range cron.Profile(0).Values() {
		profiles = append(profiles, p.Name())
	}
	return map[string][]string{
		"alarm-on":      texts(xxladapter.AlarmRule("").Values()),
		"ambiguous":     texts(xxladapter.AmbiguousStrategy("").Values()),
		"audit-kind":    xxladapter.AuditKinds(),
		"block":         texts(xxladapter.BlockStrategy("").Values()),
		"cron-profile":  profiles,
		"fire-state":    texts(xxladapter.FireState("").Values()),
		"glue-type":     glueTypes,
		"job-sort":      texts(xxladapter.JobSort("").Values()),
		"keep-logs":     texts(xxladapter.LogPolicy("").Values()),
		"last-result":   texts(xxladapter.LastResult("").Values()),
		"misfire":       texts(xxladapter.MisfireStrategy("").Values()),
		"route":         texts(xxladapter.RouteStrategy("").Values()),
		"run-status":    append(texts(xxladapter.LogStatus("").Values()), "LOST"),
		"schedule-type": texts(xxladapter.ScheduleType("").Values()),
		"script-type":   slices.DeleteFunc(slices.Clone(glueTypes), func(t string) bool { return t == string(xxladapter.GlueBean) }),
		"trigger-type":  texts(xxladapter.TriggerType("").Values()),
	}
}

// Predictors returns what completes the values of flags, by the flag's tag predictor: files for the
// name file, otherwise [Choices].
func Predictors() map[string]complete.Predictor {
	all := map[string]complete.Predictor{"file": complete.PredictFiles("*")}
	for name, values := range Choices() {
		all[name] = complete.PredictSet(values...)
	}
	return all
}

func texts[T ~string](values []T) (list []string) {
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}
