/// The manual page, in the language of troff's `man` macros.
package enum ManualPage {
  /// The answer to `--man`.
  package static var text: String {
    var lines = [
      ".TH LIVESTORE-WATCH 1 \"\" \"\(Help.version)\" \"User Commands\"", ".SH NAME",
      escaped("livestore-watch - \(Manual.purpose)"), ".SH SYNOPSIS", ".B livestore\\-watch",
      ".RI [ FILE \" .\\|.\\|. |-] [\" options ]", ".SH DESCRIPTION",
    ]
    lines += paragraphs(Manual.input)
    lines.append(".SH EXAMPLES")
    for (purpose, command) in Manual.examples {
      lines += [".PP", escaped("\(purpose):"), ".PP", ".RS 4", ".nf", escaped(command), ".fi", ".RE"]
    }
    lines.append(".SH OPTIONS")
    for group in ToolOption.Group.allCases {
      lines.append(".SS \(escaped(group.rawValue))")
      for option in ToolOption.all where option.group == group { lines += self.lines(for: option) }
    }
    for section in Manual.sections {
      lines.append(".SH \"\(escaped(section.title.uppercased()))\"")
      lines += paragraphs(section.paragraphs)
    }
    lines.append(".SH \"THE LANGUAGE OF FILTERS\"")
    for (title, entries) in FilterManual.sections {
      lines.append(".SS \"\(escaped(title))\"")
      for (text, meaning) in entries { lines += [".TP", "\\fB\(escaped(text))\\fR", escaped(meaning)] }
    }
    lines.append(".SH EXIT STATUS")
    for status in Manual.statuses { lines += [".TP 6", ".B \(status.code)", escaped(status.meaning)] }
    return lines.joined(separator: "\n")
  }

  private static func paragraphs(_ texts: [String]) -> [String] {
    texts.flatMap { [".PP", escaped($0)] }
  }

  private static func lines(for option: ToolOption) -> [String] {
    var heading = "\\fB\(escaped(option.name))\\fR"
    if let short = option.shortName { heading = "\\fB\(escaped(short))\\fR, " + heading }
    if let argument = option.argument { heading += " \\fI\(escaped(argument))\\fR" }
    var lines = [".TP", heading, escaped(option.summary)]
    for choice in option.choices where !choice.summary.isEmpty {
      lines += [".RS", ".TP 10", ".B \(escaped(choice.word))", escaped(choice.summary), ".RE"]
    }
    return lines
  }

  /// A text that troff prints as it is: its own characters are escaped, and no line begins as a request.
  private static func escaped(_ text: String) -> String {
    let result = text.replacingScalars([
      "\\": "\\e", "-": "\\-", "'": "\\(aq", "\"": "\\(dq", "…": "\\|.\\|.\\|.",
    ])
    return result.utf8.first == UInt8(ascii: ".") ? "\\&" + result : result
  }
}
