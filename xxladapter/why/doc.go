// Package why explains why a job did not run at a certain time, as xxlwheel job why shows it. It
// decides by the records of a store and by this machine's clock. [Decide] is a pure function; the
// caller gathers the records.
//
// Each answer is a [Finding]: a code for programs, its parameters, and the records that prove it.
// [Finding.Words] says it in English or Chinese.
package why
