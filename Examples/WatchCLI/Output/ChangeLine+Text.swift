package import LiveStore

extension ChangeLine {
  /// The change as a line of text: a sign, the positions, and the object or its differences.
  ///
  /// ```
  /// - 4        {"id":7,"status":"open"}
  /// + 0        {"id":9,"status":"open"}
  /// ~ 2        3  priority: 1 → 5, owner.name: none → "Ann"
  /// > 5 → 1    4
  /// ```
  package func text(_ projection: Projection = Projection()) -> String {
    let place: String
    let content: String
    switch change {
    case .initial, .insert: (place, content) = ("\(newIndex ?? 0)", projection.text(document))
    case .delete: (place, content) = ("\(oldIndex ?? 0)", projection.text(document))
    case .move: (place, content) = ("\(oldIndex ?? 0) → \(newIndex ?? 0)", "\(id)")
    case .modify:
      let differences = projection.differences(old ?? document, document)
      let shown = differences.prefix(JSONDifference.maximum).map(\.description)
      let rest = differences.count > shown.count ? ["…"] : []
      (place, content) = ("\(newIndex ?? 0)", "\(id)  \((shown + rest).joined(separator: ", "))")
    }
    return "\(look.sign) \(place.fitted(to: max(8, place.count))) \(content)".escapingInvisibles
  }

  /// The sign of the line, and its colour on a terminal.
  var look: (sign: Character, color: TextColor) {
    switch change {
    case .initial: ("=", .plain)
    case .insert: ("+", .green)
    case .delete: ("-", .red)
    case .modify: ("~", .yellow)
    case .move: (">", .cyan)
    }
  }
}

/// A place at which two JSON values differ.
package struct JSONDifference: Hashable, Sendable, CustomStringConvertible {
  /// The keys of the place.
  package let path: [String]
  /// The value before; nil if there was none.
  package let old: JSONValue?
  /// The value now; nil if there is none.
  package let new: JSONValue?

  /// The difference in words: `owner.name: none → "Ann"`.
  package var description: String {
    "\(shownPath): \(old?.description ?? "none") → \(new?.description ?? "none")"
  }

  /// The path, up to some hundred scalars: each difference of a line has its own.
  private var shownPath: String {
    var shown = String.UnicodeScalarView()
    for (index, key) in path.enumerated() {
      if index > 0 { shown.append(".") }
      shown += key.unicodeScalars.prefix(Self.maximumPath + 1)
      if shown.count > Self.maximumPath { return String(shown.prefix(Self.maximumPath)) + "…" }
    }
    return String(shown)
  }

  private static let maximumPath = 300

  /// How many a line shows.
  static let maximum = 1_000

  /// The members that differ, nested ones by themselves, in the order of the new value and then the old one; one more than a
  /// line shows at the most.
  package static func between(_ old: Document, _ new: Document) -> [JSONDifference] {
    var (differences, path): ([JSONDifference], [String]) = ([], [])
    collect(old.body, new.body, &path, &differences)
    return differences
  }

  /// Compares what is no object, so that each part of the values is compared once.
  private static func collect(
    _ old: JSONValue?, _ new: JSONValue?, _ path: inout [String], _ differences: inout [JSONDifference]
  ) {
    if differences.count > maximum { return }
    guard case .object(let before)? = old, case .object(let after)? = new else {
      if old != new { differences.append(JSONDifference(path: path, old: old, new: new)) }
      return
    }
    func collect(_ key: String, _ old: JSONValue?, _ new: JSONValue?) {
      path.append(key)
      Self.collect(old, new, &path, &differences)
      path.removeLast()
    }
    for (key, value) in after { collect(key, before[key], value) }
    for (key, value) in before where after[key] == nil { collect(key, value, nil) }
  }
}
