// The pages that are loaded when one of them is shown first: all but those that a visit mostly begins
// with. Their bundle is cached for ever, since its name changes with its content.

export { Api } from "./api";
export { Audit } from "./audit";
export { Executors } from "./executors";
export { Forecast } from "./forecast";
export { Graph } from "./graph";
export { Group } from "./group";
export { Help } from "./help";
export { Job } from "./job";
export { EditJob, NewJob } from "./jobform";
export { Me } from "./me";
export { Nodes } from "./nodes";
export { Run } from "./run";
export { Settings } from "./settings";
export { Transfer } from "./transfer";
export { Users } from "./users";
