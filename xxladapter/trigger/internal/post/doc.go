// Package post sends POST requests over persistent HTTP/1.1 connections, for a caller that must
// know whether any byte of a request may have left.
//
// A call runs on its caller's goroutine: it writes the request and reads the response itself.
// [http.Transport] has two goroutines for each connection, and hands every request from one
// goroutine to another four times, which takes more processor time than everything else in a short
// call. In exchange, no goroutine reads an idle connection. Before [Client] uses a connection
// again, it therefore asks the kernel whether the peer has closed it.
//
// Request heads are written, and responses are parsed, by package net/http. Redirects are not
// followed, there is no proxy, and nothing is compressed.
package post
