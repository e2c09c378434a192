package wire

// Paths on an executor, relative to the address that it registered.
const (
	PathBeat     = "/beat"
	PathIdleBeat = "/idleBeat"
	PathRun      = "/run"     // G1 to G3
	PathTrigger  = "/trigger" // G4
	PathKill     = "/kill"
	PathLog      = "/log"

	// PathRuns takes a list of [RunRequest] and answers [RunReplies]. It is this project's own.
	PathRuns = "/runs"
	// PathEnded takes a list of [RunID]. The payload of its reply is a list of [Callback], for
	// those of the runs that have ended and whose results an admin has acknowledged, in any order.
	// A HandleCode of 0 means that the executor no longer has the result. It is this project's own.
	PathEnded = "/ended"
	// PathTaken takes a list of [RunID]. The payload of its reply is a list of booleans in the same
	// order: whether the executor has ever taken the run. It is this project's own.
	PathTaken = "/taken"
)

// Operations on an admin, below [AdminPath] or [AdminContextPath].
const (
	OpRegistry       = "registry"
	OpRegistryRemove = "registryRemove"
	OpCallback       = "callback"
)

// Operations on an admin that are this project's own, for its executors.
const (
	// OpFeed asks for what the executor takes its runs from. The body is a [Feed].
	OpFeed = "feed"
	// OpAccept asks whether the executor may begin runs that it has taken. The body is a list of
	// [Accept], and the payload a list of booleans in the same order.
	OpAccept = "accept"
	// OpDeclare declares the jobs of the executor's app. The body has a field jobs, a list as
	// package declare describes it.
	OpDeclare = "declare"
)

// A scheduler of this project answers below both, because the context path of XXL-JOB's admins was
// /xxl-job-admin up to 3.4.0 and is / since 3.4.1.
const (
	AdminPath        = "/api/"
	AdminContextPath = "/xxl-job-admin/api/"
)

// Headers and content types.
const (
	HeaderToken   = "XXL-JOB-ACCESS-TOKEN"
	HeaderAppName = "XXL-JOB-APPNAME" // G4

	ContentType         = "application/json;charset=UTF-8"
	ExecutorContentType = "text/html;charset=UTF-8" // sent by Java executors
)

// MaxBody is the largest request body in bytes that a peer accepts. XXL-JOB: HttpObjectAggregator(5
// * 1024 * 1024) in EmbedServer.
const MaxBody = 5 << 20

// RegistryGroup is the registry_group of executors; ADMIN also exists and is never sent.
const RegistryGroup = "EXECUTOR"

// Codes in replies and results.
const (
	CodeOK      = 200
	CodeFail    = 500
	CodeTimeout = 502 // only as the handleCode of a callback
)

// Texts that peers show to people, and that older programs search for.
const (
	MsgMethod        = "invalid request, HttpMethod not support."
	MsgNoOperation   = "invalid request, uri-mapping empty."
	MsgWrongToken    = "The access token is wrong."
	MsgEmptyBody     = "invalid request, requestBody empty."
	MsgIllegal       = "Illegal Argument."
	MsgBusy          = "job thread is running or has trigger queue."
	MsgAlreadyKilled = "job thread already killed."
	MsgGoKillUnknown = "Task kill err"        // of the common Go executor: the job has no run
	MsgStopping      = "executor is stopping" // of this project; its runs may continue
	MsgNoLogFile     = "readLog fail, logFile not exists"
	MsgDiscardLater  = "block strategy effect：Discard Later"
	MsgCoverEarly    = "block strategy effect：Cover Early"
	MsgKilledByAdmin = "scheduling center kill job."
	MsgTimeout       = "job execute timeout "
	MsgResultLost    = "job handle result lost."       // for a result of 0 or less
	PrefixRequestErr = "request error:"                // executor: unreadable request
	PrefixOpenAPIErr = "openapi invoke error: "        // admin: unreadable request
	PrefixNotFound   = "invalid request, uri-mapping(" // both: unknown path
	PrefixRepeat     = "repeat trigger job, logId:"    // since 3.4.1
	PrefixRepeatOld  = "repeate trigger job, logId:"   // up to 3.4.0
	SuffixNotFound   = ") not found."
)

// NotFound returns the text for an unknown path or operation.
func NotFound(path string) string { return PrefixNotFound + path + SuffixNotFound }
