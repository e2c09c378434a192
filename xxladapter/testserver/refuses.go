package testserver

// Refuses is an address that refuses connections: nobody serves tcpmux. A port that was free a
// moment ago may be taken by a test that runs at the same time.
const Refuses = "127.0.0.1:1"
