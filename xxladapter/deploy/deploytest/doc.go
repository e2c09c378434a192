// Package deploytest checks the files of xxladapter/deploy with the libraries of the systems that
// they are for: Prometheus, Helm and Kubernetes. It is a module of its own, so that those reach no
// user's module graph. Its tests need a processor of 64 bits, for which alone those libraries are
// built here.
package deploytest
