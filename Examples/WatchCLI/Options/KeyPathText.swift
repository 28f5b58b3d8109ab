import LiveStore

/// A path as written on the command line and in filters: `address.city`, `labels["a.b/c"]`, `tags[0]`.
///
/// What a filter reads as a path is one here as well. A name that cannot be a path (`No.`, `a..b`) is the name of a member.
package struct KeyPathText: Hashable, Sendable, CustomStringConvertible {
  /// The names and the numbers of elements.
  package let steps: [String]

  /// A path of these steps.
  package init(steps: [String]) {
    self.steps = steps
  }

  /// Reads a path; nil if there is no text, or a path that filters alone have, as `tags[*]` and `tags[last]`.
  ///
  /// - Complexity: O(length)
  package init?(_ text: String) {
    if text.isEmpty { return nil }
    // The name of a total of a group.
    let name = text.unicodeScalars.prefix { $0 != "(" }
    if text.utf8.last == UInt8(ascii: ")"), let kind = GroupTotal.Kind(name: String(name)),
      let path = KeyPathText(String(text.unicodeScalars[name.endIndex...].dropFirst().dropLast()))
    {
      steps = [GroupTotal(kind: kind, path: path).title]
    } else if let steps = Self.steps(of: text) {
      self.steps = steps
    } else if let path = Self.filterPath(of: text) {
      guard let keys = path.keys else { return nil }
      steps = keys
    } else {
      steps = [text]
    }
  }

  /// A path with what only filters have, as `` `a b`.c `` and `tags[first]`.
  private static func filterPath(of text: String) -> FilterPath? {
    guard case .comparison(let comparison) = try? FilterSyntax(parsing: "\(text) == nil"),
      case .path(let path, _) = comparison.left
    else { return nil }
    return path
  }

  private static func steps(of text: String) -> [String]? {
    var steps: [String] = []
    var scalars = text.unicodeScalars[...]
    // As in filters, where a path does not begin with a bracket otherwise.
    if text.utf8.starts(with: "SELF[".utf8) { scalars = scalars.dropFirst(4) }
    var isFirst = true
    repeat {
      let nameScalars = scalars.prefix { $0 != "." && $0 != "[" }
      if nameScalars.contains(where: { $0 == "`" || $0 == "\\" }) { return nil }
      // As in No. 1, which is a name, and in tags.@count; labels.@type is a path.
      let word = String(nameScalars.dropFirst())
      if !isFirst, let first = nameScalars.first,
        first.properties.isWhitespace || first == "@" && CollectionFunction(rawValue: word) != nil
      {
        return nil
      }
      scalars = scalars[nameScalars.endIndex...]
      if !nameScalars.isEmpty {
        steps.append(String(nameScalars))
      } else if !isFirst || scalars.first != "[" {
        return nil
      }
      while scalars.first == "[" {
        guard let step = element(&scalars) else { return nil }
        steps.append(step)
      }
      isFirst = false
      if scalars.isEmpty { return steps }
    } while scalars.popFirst() == "."
    return nil
  }

  /// Reads `["key"]`, `['key']` or `[0]`.
  private static func element(_ scalars: inout Substring.UnicodeScalarView) -> String? {
    scalars.removeFirst()
    guard let quote = scalars.first, quote == "\"" || quote == "'" else {
      let number = scalars.prefix { $0 != "]" }
      scalars = scalars[number.endIndex...].dropFirst()
      return !number.isEmpty && number.allSatisfy { $0 >= "0" && $0 <= "9" } ? String(number) : nil
    }
    scalars.removeFirst()
    var key = ""
    while let scalar = scalars.popFirst(), scalar != quote {
      guard scalar == "\\", let escaped = scalars.popFirst() else {
        key.unicodeScalars.append(scalar)
        continue
      }
      // All others are read as in filters.
      guard let meaning = escapes[escaped] else { return nil }
      key.unicodeScalars.append(meaning)
    }
    return scalars.popFirst() == "]" ? key : nil
  }

  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "n": "\n", "t": "\t", "\"": "\"", "'": "'", "\\": "\\",
  ]

  /// The path as it is read again.
  package var description: String {
    steps.enumerated().map { index, step in
      Self.isPlain(step) ? (index == 0 ? "" : ".") + step : "[\(JSONValue.string(step))]"
    }.joined()
  }

  /// What is written above values at the path: a name alone as it is.
  package var title: String { steps.count == 1 ? steps[0] : description }

  private static func isPlain(_ step: String) -> Bool {
    !step.isEmpty
      && step.unicodeScalars.allSatisfy { $0.value >= 0x80 || $0 == "_" || $0 == "-" || isWord($0) }
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }
}
