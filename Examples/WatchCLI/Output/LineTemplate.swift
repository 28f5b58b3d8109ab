import LiveStore

/// The text of `--format`: a line for each change, with values of the object in it.
///
/// | in the template | in the line |
/// |---|---|
/// | `{owner.name}` | the value at the path in the object, or in the last one of a deletion; nothing if it is missing or null |
/// | `{@change}`, `{@old.state}` | the value at the path in the line that `--output json` prints |
/// | `{{`, `}}` | a brace |
/// | `\n`, `\t`, `\\` | newline, tab, backslash |
package struct LineTemplate: Hashable, Sendable {
  private enum Part: Hashable {
    case text(String)
    /// A path in the object.
    case value([String])
    /// A path in the line of JSON.
    case change([String])
  }

  private var parts: [Part] = []
  /// The paths in the object, and in that before a change, without which a line is the same; nil if there is none.
  private(set) var comparedPaths: [[String]]?

  /// A template; nil if a brace is not closed, or has no path behind it.
  package init?(_ template: String) {
    var (text, scalars) = ("", template.unicodeScalars[...])
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\\":
        guard let escaped = scalars.popFirst() else { return nil }
        text.unicodeScalars.append(escaped == "n" ? "\n" : escaped == "t" ? "\t" : escaped)
      case "{" where scalars.first != "{":
        guard let end = Self.end(of: scalars) else { return nil }
        let isChange = scalars.first == "@"
        guard let path = KeyPathText(String(scalars[..<end].dropFirst(isChange ? 1 : 0))) else { return nil }
        parts += [.text(text), isChange ? .change(path.steps) : .value(path.steps)]
        (text, scalars) = ("", scalars[end...].dropFirst())
      case "{", "}":
        guard scalars.popFirst() == scalar else { return nil }
        text.unicodeScalars.append(scalar)
      default: text.unicodeScalars.append(scalar)
      }
    }
    parts.append(.text(text))
    let compared =
      paths + changePaths.filter { ["old", "new"].contains($0[0]) }.map { Array($0.dropFirst()) }
    comparedPaths = compared.isEmpty ? nil : compared
  }

  /// Where the brace stands that closes a path; those in quotation marks do not.
  private static func end(of scalars: Substring.UnicodeScalarView) -> String.Index? {
    let path = String(scalars).unquotedParts(at: "}", maxSplits: 1)
    return path.count < 2
      ? nil : scalars.index(scalars.startIndex, offsetBy: path[0].unicodeScalars.count)
  }

  /// The paths in the object.
  package var paths: [[String]] {
    parts.compactMap { if case .value(let path) = $0 { path } else { nil } }
  }

  /// The paths in the line of JSON.
  package var changePaths: [[String]] {
    parts.compactMap { if case .change(let path) = $0 { path } else { nil } }
  }

  /// The same template for groups, of which the names of values are whole.
  var ofGroups: LineTemplate {
    var copy = self
    func whole(_ path: some Sequence<String>) -> [String] { [KeyPathText(steps: Array(path)).title] }
    copy.parts = parts.map { part in
      switch part {
      case .value(let path): .value(whole(path))
      case .change(let path) where path.count > 1: .change([path[0]] + whole(path.dropFirst()))
      default: part
      }
    }
    copy.comparedPaths = comparedPaths?.map(whole)
    return copy
  }

  /// The line of a change.
  func text(_ line: ChangeLine, version: UInt64, time: String?) -> String {
    var change: Document?
    return parts.reduce(into: "") { result, part in
      switch part {
      case .text(let text): result += text
      case .value(let path): result += Self.text(line.document.shownValue(at: path))
      case .change(let path):
        let document = change ?? line.document(version: version, time: time)
        change = document
        result += Self.text(document.shownValue(at: path))
      }
    }
  }

  private static func text(_ value: ShownValue?) -> String { value == .null ? "" : TableCell(value).text }
}
