package errorrule

// What has to exist.
var (
	// {kind} {id} does not exist
	NotFound = Rule{"not_found", "kind id"}
	// no such credential
	NoCredential = Rule{"no_credential", ""}
	// job {job} has no version {version}
	NoVersion = Rule{"no_version", "job version"}
	// no log of run {run} is stored
	NoText = Rule{"no_text", "run"}
	// no call {method} {path}
	NoCall = Rule{"no_call", "method path"}
	// this scheduler has no provider of OpenID Connect (xxlwheel serve --oidc-issuer)
	NoProvider = Rule{"no_provider", ""}
	// this server was made without users, only tokens give access
	NoUsers = Rule{"no_users", ""}
	// {field} is {value}, must be the id of a group
	GroupID = Rule{"group_id", "field value"}
	// {field} is {value}, must be the app name of a group
	GroupApp = Rule{"group_app", "field value"}
	// {field} contains {value}, must be an address of group {group}
	GroupAddress = Rule{"group_address", "field value group"}
	// {field} name group {value} twice, must name it once
	GroupTwice = Rule{"group_twice", "field value"}
	// {field} name group {value}, must be groups in which {user} has a role
	GroupRole = Rule{"group_role", "field value user"}
	// {field} is {value}, must be the name of a calendar such as {example}
	Calendar = Rule{"calendar", "field value example"}
	// {field} contains {value}, must be the id of another job
	Child = Rule{"child", "field value index"}
	// {field} contains {value}, must not lead back to job {job}: {way}
	ChildCycle = Rule{"child_cycle", "field value job way"}
	// {field} is {value}, must be the app that the access token is for
	RegistryApp = Rule{"registry_app", "field value"}
	// {field} is {value}, must be nats://app/name with the app of registryKey
	RegistryQueue = Rule{"registry_queue", "field value"}
	// {field} is {value}, must be of the app that the caller acts for
	QueueApp = Rule{"queue_app", "field value"}
	// {field} is {value}, must be another type for the job to have a source
	GlueType = Rule{"glue_type", "field value"}
)
