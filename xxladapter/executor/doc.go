// Package executor is what an application embeds to run jobs for an XXL-JOB scheduler: ours, or a
// Java admin; releases 2.4.2 to 3.4.2 are tested.
//
//	e, err := executor.New(executor.Options{
//		Admins:      []string{"http://127.0.0.1:8080/xxl-job-admin"},
//		AppName:     "orders",
//		AccessToken: "a secret of your own",
//	})
//	if err != nil {
//		return err
//	}
//	err = e.Handle("closeOrders", func(ctx context.Context, run *executor.Run) error {
//		run.Logger.Info("closing", "shop", run.Param)
//		return nil
//	})
//	if err != nil {
//		return err
//	}
//	return e.Run(ctx)
//
// # Guarantees
//
// A run is accepted when its log id is on disk. From then on it gets exactly one result, and the
// result stays on disk until an admin has accepted it: across restarts, and after kill -9. If the
// process ends before a run does, the next process reports the run as failed. A run is not started
// a second time if a scheduler sends its log id again within [Options.SeenFor].
//
// The runs of one job follow each other. After a run was cancelled, because it was killed, covered
// or exceeded its time limit, the next one waits until the handler of the cancelled run has
// returned or [Options.AbandonAfter] has passed.
//
// # What it links
//
// An executor needs no client of a broker: [Options.Queue] is an interface, which package queue
// implements for NATS and Redis. Only programs that import package queue link their clients.
//
// # The data directory
//
//	journal                   accepted log ids, results, what admins have accepted
//	<yyyy-MM-dd>/<log id>.log what a run wrote, by the day of its trigger time
//	<yyyy-MM-dd>/quiet.log    short runs of that day that succeeded without writing a line
//	gluesource/               the source of script jobs
//	instance                  the executor's own name, which is its address on a queue
//	since                     when the directory was first used
//	lock                      held by the executor that uses the directory
//
// A data directory belongs to one executor of one scheduler. Clear it when the scheduler's database
// is recreated, since log ids then start over.
package executor
