module github.com/xxlwheel/xxlwheel/hashedwheel/time/dropintest

go 1.26.0

replace github.com/xxlwheel/xxlwheel => ../../..

require (
	github.com/coder/websocket v1.8.15
	github.com/hashicorp/yamux v0.1.2
	github.com/stretchr/testify v1.12.1
	github.com/xtaci/smux v1.5.56
	golang.org/x/net v0.62.0
	google.golang.org/grpc v1.85.0
)

require go.uber.org/atomic v1.12.0 // indirect

require (
	github.com/xxlwheel/xxlwheel v0.0.0
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261005182115-fad411399dd8 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
