// Package deploytest checks the files of xxladapter/deploy with the libraries of the systems that
// they are for: Prometheus, Helm and Kubernetes. It is a module of its own, so that those libraries
// are in no user's module graph. Its tests need a 64-bit processor, because the libraries are built
// for no other one here.
package deploytest
