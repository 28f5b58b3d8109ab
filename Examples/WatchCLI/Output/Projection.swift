import LiveStore

/// What is printed: of an object everything, or chosen columns under their titles; and of which changes.
package struct Projection: Sendable {
  /// The columns; nil for everything.
  package let columns: [Column]?
  /// The changes that are printed, as the objects that `--output json` prints; all if nil.
  var changes: FilterCheck<Document>?
  /// The columns, if they have been found in objects.
  private let found: FoundColumns?
  /// The form of the lines to look at.
  private(set) var template: LineTemplate?

  /// The printed part of objects.
  package init(_ columns: [Column]? = nil) {
    self.columns = columns
    found = nil
  }

  /// Columns that have been found in objects.
  init(_ found: FoundColumns) { (columns, self.found) = (found.columns, found) }

  /// Lines of a template, and everything of an object elsewhere. Changes of values that it does not name are left out.
  init(_ template: LineTemplate) {
    (self.template, columns, found) = (template, nil, nil)
  }

  /// Appends what is printed as JSON: the object itself, or one with the titles as its keys, null for what is missing.
  package func writeJSON(_ document: Document, to bytes: inout [UInt8]) {
    guard let columns else { return document.writeJSON(to: &bytes) }
    for (place, column) in columns.enumerated() {
      bytes.append(UInt8(ascii: place == 0 ? "{" : ","))
      JSONValue.string(column.title).write(to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      document.writeJSON(at: column.path, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// What is printed, as JSON.
  package func text(_ document: Document) -> String {
    var bytes: [UInt8] = []
    writeJSON(document, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The printed values in which two objects differ.
  package func differences(_ old: Document, _ new: Document) -> [JSONDifference] {
    guard let columns else { return JSONDifference.between(old, new) }
    return columns.compactMap { column in
      let (before, after) = (old.value(at: column.path), new.value(at: column.path))
      return Self.areSame(before, after)
        ? nil : JSONDifference(path: [column.title], old: before, new: after)
    }
  }

  /// Whether nothing that is printed differs.
  package func areSame(_ old: Document, _ new: Document) -> Bool {
    if var found {
      // Two calls for each object, whatever the number of columns.
      return old.withObject { old in
        new.withObject { new in
          var (before, after): ([Range<Int>?], [Range<Int>?]) = ([], [])
          found.getRanges(of: old, &before)
          found.getRanges(of: new, &after)
          return zip(before, after).allSatisfy { Self.areSame(old.value(in: $0), new.value(in: $1)) }
        }
      }
    }
    let paths = template.map(\.comparedPaths) ?? columns?.map(\.path)
    return paths?.allSatisfy { Self.areSame(old.value(at: $0), new.value(at: $0)) } ?? (old == new)
  }

  /// Whether two values are printed as the same: what is missing as what is null.
  private static func areSame(_ old: JSONValue?, _ new: JSONValue?) -> Bool {
    (old ?? .null) == (new ?? .null)
  }
}
