// Package cron parses the cron expressions of Quartz and XXL-JOB and computes the times that they
// stand for. It also parses XXL-JOB's other schedule types.
//
// # Expressions
//
// An expression has six or seven fields, separated by blanks or tabs. Case does not matter.
//
//	field         values                          besides * , - /
//	second        0-59
//	minute        0-59
//	hour          0-23
//	day of month  1-31                            ? L W
//	month         1-12 or JAN-DEC
//	day of week   1-7 (1 is Sunday) or SUN-SAT    ? L #
//	year          1970-9999, optional
//
// A field is a list of items, separated by commas. It matches what any of them matches:
//
//	item            matches
//	*               every value
//	*/n or /n       every n-th value from the lowest one on
//	a               the value a
//	a/n             a, a+n and so on, up to the end of the field
//	a-b             a to b; if b is less than a the range wraps around the end,
//	                so FRI-MON is four days (not in the year)
//	a-b/n           every n-th value of that range, counted from a
//
// One of the two day fields selects the days, the other must be ?. The day of month also accepts
//
//	L               the last day of the month
//	L-n             n days before it, n up to 30
//	nW              the Monday to Friday nearest to day n, in the same month
//	LW, L-nW        the same for L and L-n
//
// and the day of week accepts, as its only item,
//
//	L               Saturday, as 7 is
//	dL or FRIL      the last such weekday of the month
//	d#k or MON#k    the k-th such weekday of the month, 1 to 5
//
// Months without such a day are skipped. In */n and a/n, but not in a-b/n, a step above 59, 23, 31,
// 12 or 7, depending on the field, is refused.
//
// # Where Quartz and common sense differ
//
// Weekdays count from Sunday = 1, so 6 is Friday. In Unix cron, and in most Go libraries, 6 is
// Saturday. Write names.
//
// Steps start anew in each field. "0 */25 * * * ?" fires at minutes 0, 25 and 50, and then 10
// minutes later.
//
// L in the day of week is every Saturday, not the last day of anything.
//
// 31W fires only in months with a 31st. When a month starts on a Saturday, 1W is Monday the 3rd,
// because W never leaves the month.
//
// A wall-clock time that is skipped when the clock is put forward does not fire, not even later: a
// job at 02:30 misses a day each spring. When the clock is put back, a repeated time fires only the
// second time, and nothing at all fires during the first pass: a job for every minute pauses for an
// hour each autumn. The Sane profile avoids both.
//
// The examples show most of these.
//
// # Profiles
//
// Parse reads the intended dialect of Quartz 2.3, which XXL-JOB has up to release 3.0, without the
// faults of its code: lists with W mean their union, nW stays within its month, and 0W is refused
// instead of causing an endless loop. Lists with L are allowed, as in XXL-JOB since 3.1.
//
// Upstream ignores much of what it cannot parse ("5x" is 5, "MON-FRI/2" is MON-FRI, "99" is *). The
// default profile refuses such text and says where and why, since it is never what the author
// meant. The profile XXL34 reads it as XXL-JOB 3.4 does. It also handles W like that release:
// "0 0 9,17 LW * ?", searched from an afternoon, skips 09:00 of the next such day. Sane differs
// from the default only at clock changes. Unix has five fields; the other profiles refuse a
// five-field expression. All differences from XXL-JOB, with their tests, are in
// xxladapter/docs/differences.md.
//
// # Limits
//
// Next and Prev search the year of the given instant and a hundred years beyond. Expressions have
// at most 2048 bytes. The fuzz tests check that parsing or searching any of them takes at most a
// millisecond and 64 KiB. Next and Prev allocate nothing.
//
// A Schedule has the method Next(time.Time) time.Time and so satisfies the Schedule interface of
// github.com/robfig/cron/v3.
package cron
