package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

// Flags lets the flags of a command come from a file too. The command line wins over the
// environment, and the environment wins over the file.
type Flags struct {
	Config string `predictor:"file" placeholder:"FILE" help:"YAML file with settings of this command, see config example; the command line and the environment take precedence."`
}

// BeforeResolve reads the file and gives the flags its values. kong calls it when the command line
// and the environment have been read.
func (*Flags) BeforeResolve(ctx *kong.Context, at *kong.Path) error {
	for _, flag := range at.Flags {
		if flag.Name != "config" {
			continue
		}
		file, _ := ctx.FlagValue(flag).(string)
		if file == "" {
			return nil
		}
		given, err := readSettings(ctx.Model.Node, file)
		if err != nil {
			return err
		}
		ctx.AddResolver(fileSettings(given[at.Node().Name]))
	}
	return nil
}

// fileSettings are the settings of one command, by the name of the flag: a text, or a list of
// texts for a flag that can be repeated.
type fileSettings map[string]any

// Validate returns nil: readSettings has checked the names and values.
func (fileSettings) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag, or nil if the file has none or a variable of the environment
// is set.
func (s fileSettings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	return s[flag.Name], nil
}

// CheckFile refuses a file that no serving command can read. The error names file, line, setting
// and rule.
func CheckFile(commands *kong.Node, file string) error {
	_, err := readSettings(commands, file)
	return err
}

// readSettings reads a file with a section for each serving command. It refuses what is not a
// setting, and values of the wrong type. An error names file, line, setting and rule.
func readSettings(commands *kong.Node, file string) (map[string]fileSettings, error) {
	text, err := flags.ReadFile(file)
	if err != nil {
		return nil, command.Usagef("--config: %v", err)
	}
	d := yaml.NewDecoder(strings.NewReader(text))
	var document, more yaml.Node
	if err := d.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil // an empty file
	} else if err != nil {
		return nil, command.Usagef("%s: not YAML: %s", file, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, command.Usagef("%s:%d: a second document begins, must be one document", file, max(more.Line, 1))
	}
	given := map[string]fileSettings{}
	err = eachField(file, "the document", document.Content[0], func(cmd string, key, section *yaml.Node) error {
		i := slices.IndexFunc(commands.Children, func(n *kong.Node) bool { return n.Name == cmd })
		if i < 0 || !slices.Contains(Serving, cmd) {
			return command.Usagef(
				"%s:%d: %q is not a section, must be one of %s", file, key.Line, cmd, strings.Join(Serving, ", "),
			)
		}
		settings := fileSettings{}
		given[cmd] = settings
		if isNull(section) {
			return nil // all its lines are comments
		}
		return eachField(file, cmd, section, func(name string, key, node *yaml.Node) error {
			where := fmt.Sprintf("%s:%d: %s.%s", file, key.Line, cmd, name)
			flag := settingOf(commands.Children[i], name)
			if flag == nil {
				return command.Usagef("%s is not a setting of %s; xxlwheel config example shows them all", where, cmd)
			}
			value, err := settingValue(flag, node)
			if err != nil {
				return command.Usagef("%s %v", where, err)
			}
			settings[name] = value
			return nil
		})
	})
	return given, err
}

// settingOf returns the flag of a command that a file can set, nil if there is none of that name.
func settingOf(command *kong.Node, name string) *kong.Flag {
	for _, flag := range command.Flags {
		if flag.Name == name && name != "help" && name != "config" {
			return flag
		}
	}
	return nil
}

// settingValue returns the value of a node as kong takes it, and checks that the flag accepts it.
func settingValue(flag *kong.Flag, node *yaml.Node) (value any, err error) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch {
	case isNull(node):
		return nil, errors.New("has no value")
	case node.Kind == yaml.ScalarNode:
		value = node.Value
	case node.Kind == yaml.SequenceNode && flag.IsSlice():
		list := []any{}
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode || isNull(item) {
				return nil, fmt.Errorf("has an item in line %d that is not a text or number", item.Line)
			}
			list = append(list, item.Value)
		}
		value = list
	case flag.IsSlice():
		return nil, errors.New("is a mapping, must be a list or a single value")
	default:
		return nil, errors.New("is a list or a mapping, must be a single value")
	}
	scratch := reflect.New(flag.Target.Type()).Elem()
	if err := flag.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken), scratch); err != nil {
		return nil, fmt.Errorf("is refused: %s", strings.TrimPrefix(err.Error(), "--"+flag.Name+": "))
	}
	return value, nil
}

// isNull reports whether a node is an empty or null value.
func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.Tag == "!!null" }

// eachField calls f for the fields of a mapping. It refuses other nodes, and a field that is given
// twice.
func eachField(file, what string, node *yaml.Node, f func(name string, key, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return command.Usagef("%s:%d: %s is not a mapping", file, node.Line, what)
	}
	seen := map[string]bool{}
	for i := 0; i < len(node.Content); i += 2 {
		key := node.Content[i]
		if seen[key.Value] {
			return command.Usagef("%s:%d: %q is given twice in %s, must be given once", file, key.Line, key.Value, what)
		}
		seen[key.Value] = true
		if err := f(key.Value, key, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// Example returns a file with all settings of all serving commands as comments: what each does, and
// its default value or a placeholder.
func Example(commands *kong.Node) []byte {
	var b bytes.Buffer
	b.WriteString("# Settings of xxlwheel, for --config FILE or the variable XXLWHEEL_CONFIG.\n" +
		"# The command line wins over the environment (XXLWHEEL_<SETTING>), and the environment over this file.\n" +
		"# Secrets also take \"@FILE\", a file whose only line is the value.\n")
	for _, command := range commands.Children {
		if !slices.Contains(Serving, command.Name) {
			continue
		}
		fmt.Fprintf(&b, "\n%s: # %s\n", command.Name, command.Help)
		for _, flag := range command.Flags {
			if settingOf(command, flag.Name) == nil {
				continue
			}
			for _, line := range wrapped(flag.Help, 96) {
				fmt.Fprintf(&b, "  # %s\n", line)
			}
			fmt.Fprintf(&b, "  # %s: %s\n", flag.Name, exampleValue(flag))
		}
	}
	return b.Bytes()
}

// wrapped divides text into lines of at most width bytes, at spaces.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// exampleValue returns the default of a flag, or what stands for its value in the help.
func exampleValue(flag *kong.Flag) string {
	var value any = flag.Default
	switch {
	case flag.IsBool():
		value = flag.Default == "true"
	case !flag.HasDefault || flag.Default == "":
		value = flag.PlaceHolder
	}
	if flag.IsSlice() {
		value = []any{value}
	}
	node := &yaml.Node{}
	if err := node.Encode(value); err != nil {
		panic(err) // a text, a bool or a list of texts can be encoded
	}
	node.Style = yaml.FlowStyle
	text, err := yaml.Marshal(node)
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}
