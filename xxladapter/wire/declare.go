package wire

// OpDeclare is the operation by which an executor of this project declares the jobs of its app.
// XXL-JOB answers that it is not found.
const OpDeclare = "declare"
