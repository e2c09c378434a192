package errorrule

// What a process is started with.
var (
	// {field} is {value}, must be sqlite:FILE or mysql:// or postgres:// and
	// USER:PASSWORD@HOST:PORT/DATABASE
	StorePlace = Rule{"store_place", "field value reason"}
	// {field} is {value}, must be redis://USER:PASSWORD@HOST:PORT/DB,
	// redis+sentinel://USER:PASSWORD@HOST1:PORT,HOST2:PORT/NAME/DB or
	// redis+cluster://USER:PASSWORD@HOST1:PORT,HOST2:PORT, or with TLS rediss:// in place of
	// redis:// and so on
	RedisPlace = Rule{"redis_place", "field value reason"}
	// {field} has cluster-enabled yes, must have no, or redis+cluster://
	RedisCluster = Rule{"redis_cluster", "field address"}
	// {field} has replicas ({count}), must have none, or redis+sentinel://: one that is promoted
	// may lack what was confirmed
	RedisReplicas = Rule{"redis_replicas", "field count"}
	// {field} names the primary {value}, must be one that its sentinels know
	RedisPrimary = Rule{"redis_primary", "field value"}
	// {field} has appendonly {appendonly} and appendfsync {appendfsync}, must have yes and always,
	// or Options.MayLose
	RedisSync = Rule{"redis_sync", "field appendonly appendfsync"}
	// {field} does not say what appendonly and appendfsync are ({reason}), must have yes and
	// always, or Options.MayLose
	RedisSyncUnknown = Rule{"redis_sync", "field reason"}
	// {field} has maxmemory-policy {value}, must have noeviction or volatile-*, or Options.MayLose
	RedisEvicts = Rule{"redis_evicts", "field value"}
	// {field} cannot be read, must be like https://example.org/path
	WebURL = Rule{"web_url", "field scheme"}
	// {field}: {reason}
	WebHost = Rule{"web_host", "field reason"}
	// {field} is {value}, must be the URL of a provider
	Issuer = Rule{"issuer", "field value"}
	// {field} is missing, must be the one that {issuer} gave
	ClientID = Rule{"client_id", "field issuer"}
	// {field} is {value}, must be VALUE=ROLE or VALUE=ROLE@APP
	RoleRule = Rule{"role_rule", "field value"}
)
