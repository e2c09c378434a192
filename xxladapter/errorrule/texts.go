package errorrule

// Lengths of texts and lists, and what texts contain.
var (
	// {field} has {count} characters, must have {least} to {most}
	Characters = Rule{"characters", "field count least most"}
	// {field} has {count} characters, must have at most {most}
	CharactersAtMost = Rule{"characters_at_most", "field count most"}
	// {field} has {count} characters, must have at least {least}
	CharactersAtLeast = Rule{"characters_at_least", "field count least"}
	// {field} has {count} bytes, must have {least} to {most}
	Bytes = Rule{"bytes", "field count least most"}
	// {field} has {count} bytes, must have at most {most}
	BytesAtMost = Rule{"bytes_at_most", "field count most"}
	// {field} has {count} entries, must have at most {most}
	EntriesAtMost = Rule{"entries_at_most", "field count most"}
	// {field} selects more than {most} jobs, must select at most {most}
	FilterAtMost = Rule{"filter_at_most", "field most"}
	// {field} is not valid UTF-8
	UTF8 = Rule{"utf8", "field"}
	// {field} is {value}, must not contain control characters
	ControlCharacters = Rule{"control_characters", "field value"}
	// {field} is {value}, must be 1 to 64 lower-case letters, digits, dots, hyphens and
	// underscores, beginning with a letter
	CalendarName = Rule{"calendar_name", "field value"}
	// {field} is {value}, must have letters, digits, dots, hyphens and underscores only
	KeyCharacters = Rule{"key_characters", "field value"}
	// {field} is {value}, must have no blanks, slashes and control characters
	UserName = Rule{"user_name", "field value"}
	// {field} contains {value}, must have no comma, and no blank at its ends
	Tag = Rule{"tag", "field value"}
	// {field} has a blank or a character outside of ASCII, must be fit for an HTTP header
	HeaderText = Rule{"header_text", "field"}
)
