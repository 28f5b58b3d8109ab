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

  /// How many columns are looked up one by one, which takes the length of an object for each.
  private static let few = 32

  /// The printed part of objects.
  package init(_ columns: [Column]? = nil) {
    self.columns = columns
    // Elements of arrays are looked up one by one as well, and values with two titles.
    let found = FoundColumns(
      (columns ?? []).filter { !$0.path.contains { JSONValue.arrayIndex($0) != nil } })
    let areAll = found.columns.count == columns?.count
    self.found = areAll && found.columns.count > Self.few ? found : nil
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
    document.withObject { object in
      for (place, (column, range)) in zip(columns, ranges(of: object)).enumerated() {
        bytes.append(UInt8(ascii: place == 0 ? "{" : ","))
        JSONValue.string(column.title).write(to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        if let range { bytes += object.bytes[range] } else { bytes += "null".utf8 }
      }
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Where the values of the columns are in an object, nil for those that are missing.
  ///
  /// - Complexity: O(length of the object + columns)
  func ranges(of object: JSONText) -> [Range<Int>?] {
    guard var found else { return (columns ?? []).map { object.range(at: $0.path) } }
    var ranges: [Range<Int>?] = []
    found.getRanges(of: object, &ranges)
    return ranges
  }

  /// The values of the columns in two objects.
  private func values(_ old: Document, _ new: Document) -> [(old: JSONValue?, new: JSONValue?)] {
    old.withObject { old in
      new.withObject { new in
        zip(ranges(of: old), ranges(of: new)).map { (old.value(in: $0), new.value(in: $1)) }
      }
    }
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
    return zip(columns, values(old, new)).compactMap { column, values in
      Self.areSame(values.old, values.new)
        ? nil : JSONDifference(path: [column.title], old: values.old, new: values.new)
    }
  }

  /// Whether nothing that is printed differs.
  package func areSame(_ old: Document, _ new: Document) -> Bool {
    if let paths = template?.comparedPaths {
      return paths.allSatisfy { Self.areSame(old.value(at: $0), new.value(at: $0)) }
    }
    return old.hasSameObject(as: new)
      || columns != nil && values(old, new).allSatisfy { Self.areSame($0.old, $0.new) }
  }

  /// Whether two values are printed as the same: what is missing as what is null.
  private static func areSame(_ old: JSONValue?, _ new: JSONValue?) -> Bool {
    (old ?? .null) == (new ?? .null)
  }
}
