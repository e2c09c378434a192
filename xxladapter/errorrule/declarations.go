package errorrule

// Declarations.
var (
	// not YAML: {error}
	NotYAML = Rule{"not_yaml", "error"}
	// unknown field {field}
	UnknownDeclaredField = Rule{"unknown_declared_field", "field"}
	// {field} is {is}, must be {want}
	DeclaredShape = Rule{"declared_shape", "field is want"}
	// the mapping merges itself
	MergesItself = Rule{"merges_itself", ""}
	// the files have more than {most} values with their aliases, must have at most {most}
	TooManyValues = Rule{"too_many_values", "most"}
	// {field} is missing, must be given for jobs that are no longer declared to be deleted
	OwnerOfPrune = Rule{"owner_of_prune", "field"}
	// {field} is {value}, must not be that of jobs declared from code
	OwnerOfCode = Rule{"owner_of_code", "field value"}
	// {field} is {value}, must be {other} as in the other files
	OwnerDiffers = Rule{"owner_differs", "field value other"}
	// {field} is {value}, must be declared once
	DeclaredTwice = Rule{"declared_twice", "field value appName other"}
	// {field} is {value}, must be the app name of a group that exists or is declared
	DeclaredGroup = Rule{"declared_group", "field value"}
	// {field} is {value}, must not be that of a job whose owner is {owner}
	DeclaredElsewhere = Rule{"declared_elsewhere", "field value owner"}
	// {field} contains {value}, must be another job
	ChildItself = Rule{"child_itself", "field value"}
	// {field} contains {value}, must not be a job that is deleted because it is no longer declared
	ChildPruned = Rule{"child_pruned", "field value"}
	// {field} contains {value}, must be the key of a job that exists or is declared
	ChildUnknown = Rule{"child_unknown", "field value"}
	// {field} lead back to the job itself: {path}
	ChildrenCycle = Rule{"children_cycle", "field path"}
	// glueSource and {field} are both given, must be one of them
	TwoSources = Rule{"two_sources", "field"}
	// {field} is {value}, must be a relative path below the folder of the declaration
	SourceOutside = Rule{"source_outside", "field value"}
	// {field} is {value}, must be one of the given files: there is no {file}
	SourceNotGiven = Rule{"source_not_given", "field value file"}
	// executors must not declare jobs at this scheduler, which permits it only if started so
	// (xxlwheel serve --allow-declare)
	DeclaringNotPermitted = Rule{"declaring_not_permitted", ""}
	// access token is that of all executors, must be that of the group whose jobs are declared
	SharedToken = Rule{"shared_token", ""}
	// job {value} has an app name or a script, must have neither in a declaration from code
	NotFromCode = Rule{"not_from_code", "value"}
	// edits[{index}] is about job {job}, must be the only edit of that job
	EditedTwice = Rule{"edited_twice", "index job"}
	// declaration: {reason}
	Declaration = Rule{"declaration", "reason"}
)
