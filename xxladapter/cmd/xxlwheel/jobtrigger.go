package main

type jobTriggerCmd struct {
	jobID
	Param   *string  `help:"Text handed to the handler in place of the job's own."`
	Address []string `placeholder:"URL" help:"Executors to choose from in place of the group's; they must be registered, or allowed by the scheduler's --allow-address."`
}

func (c *jobTriggerCmd) Run(inv *invocation, parent *jobCmd) error {
	form := map[string]any{}
	if c.Param != nil {
		form["executorParam"] = *c.Param
	}
	if len(c.Address) > 0 {
		form["addressList"] = c.Address
	}
	return parent.api().call(inv.ctx, "POST", c.path("/trigger"), form, nil)
}
