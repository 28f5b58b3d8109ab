/// The texts of `--help` and `--version`.
package enum Help {
  /// The answer to `--version`.
  package static let version = "livestore-watch 0.1.0"

  /// A line of standard error in the tool's name.
  package static func line(_ message: String) -> String {
    "livestore-watch: \(message)"
  }

  /// The answer to `--help`: examples first.
  package static var text: String {
    var lines = wrapped("livestore-watch \(Manual.purpose).", indent: 0)
    lines += ["", "usage: \(Manual.usage)", ""]
    for (purpose, command) in Manual.examples {
      lines += wrapped("\(purpose):", indent: 2) + ["    \(command)", ""]
    }
    for paragraph in Manual.input { lines += wrapped(paragraph, indent: 0) + [""] }
    for group in ToolOption.Group.allCases {
      lines.append("\(group.rawValue):")
      for option in ToolOption.all where option.group == group { lines += self.lines(for: option) }
      lines.append("")
    }
    for section in Manual.sections {
      lines.append("\(section.title):")
      for paragraph in section.paragraphs { lines += wrapped(paragraph, indent: 2) }
      lines.append("")
    }
    let statuses = Manual.statuses.map { "\($0.code) \($0.meaning)" }.joined(separator: ", ")
    return (lines + wrapped("Exit status: \(statuses).", indent: 0)).joined(separator: "\n")
  }

  private static let width = 100
  /// Where the summaries of options begin.
  private static let column = 24

  private static func lines(for option: ToolOption) -> [String] {
    let heading = "  \(option.heading)"
    var lines = wrapped(option.summary, indent: column)
    if heading.count <= column - 2, let first = lines.first {
      lines[0] = heading + first.dropFirst(heading.count)
    } else {
      lines.insert(heading, at: 0)
    }
    let longest = option.choices.map(\.word.count).max() ?? 0
    for choice in option.choices where !choice.summary.isEmpty {
      let word = "\(choice.word):".fitted(to: longest + 1)
      lines += wrapped("\(word) \(choice.summary)", indent: column + 2)
    }
    return lines
  }

  /// A paragraph in lines that are no longer than a terminal is wide.
  private static func wrapped(_ text: String, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(margin + line)
        line = String(word)
      } else {
        line += (line.isEmpty ? "" : " ") + word
      }
    }
    return lines + [margin + line]
  }
}
