import Foundation

/// The rows of a result as JSON text, one after another: see ``Results/jsonRows(_:in:)``.
///
/// ```swift
/// var rows = posts.jsonRows(fields, in: 0..<20)
/// while rows.next() {
///   rows.writeKey(to: &text)       // "7": the id as a text
///   try rows.writeFields(to: &text)
/// }
/// ```
public struct JSONRows<Element: Entity> {
  private let fields: JSONFields<Element>
  private let context: ReadContext
  private var rows: RowIterator
  /// The row that is written. Valid as long as `rows`, whose tables hold it, and never given out.
  private var row: UnsafeRawPointer?
  private let window: ResultWindow
  private let encoder = RowEncoder()

  fileprivate init(_ results: Results<Element>, _ fields: JSONFields<Element>, _ positions: Range<Int>) {
    var window = results.window
    let start = window.ranks.lowerBound
    window.ranks = start + positions.lowerBound..<start + positions.upperBound
    self.fields = fields
    self.window = window
    context = results.state.context
    rows = Self.iterator(window, context)
  }

  private static func iterator(_ window: ResultWindow, _ context: ReadContext) -> RowIterator {
    RowIterator(window, of: window.table < 0 ? window.tree : context.tables[window.table].rows)
  }

  /// Goes to the next row, at first to the first.
  ///
  /// - Returns: false after the last.
  public mutating func next() -> Bool {
    row = rows.next()
    return row != nil
  }

  /// Goes to a row, and goes on after it.
  ///
  /// ```swift
  /// var rows = posts.jsonRows(fields)
  /// for position in changes.insertions {
  ///   rows.go(to: position)
  ///   try rows.writeFields(to: &text)
  /// }
  /// ```
  /// - Parameter position: where the row is among those that are written, the first at 0.
  /// - Complexity: O(log *n*).
  public mutating func go(to position: Int) {
    precondition(
      position >= 0 && position < window.ranks.count,
      "position \(position) is not in 0..<\(window.ranks.count)")
    var rest = window
    rest.ranks = window.ranks.lowerBound + position..<window.ranks.upperBound
    rows = Self.iterator(rest, context)
    row = rows.next()
  }

  /// Appends the row's id as a JSON string: of a text the text itself, otherwise the text of its JSON form.
  ///
  /// - Throws: what the encoder throws.
  public func writeKey(to bytes: inout [UInt8]) throws {
    guard let row else { return }
    let start = bytes.count
    try fields.key.write(row, context, encoder, &bytes)
    if bytes[start] == UInt8(ascii: "\"") { return }
    let text = String(decoding: bytes[start...], as: UTF8.self)
    bytes.removeSubrange(start...)
    JSONValue.write(text, to: &bytes)
  }

  /// Appends the fields of the row as a JSON object, in their order; for ``JSONFields/objects()`` the object.
  ///
  /// - Throws: what the encoder throws for a value.
  public func writeFields(to bytes: inout [UInt8]) throws {
    guard let row else { return }
    if let writeObject = fields.writeObject {
      return try writeObject(row.object(as: Element.self).pointee, encoder, &bytes)
    }
    bytes.append(UInt8(ascii: "{"))
    for (index, field) in fields.fields.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: field.member)
      try field.write(row, context, encoder, &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

extension Results {
  /// Chosen fields of the rows as JSON text, with linked values as they are at this version.
  ///
  /// ```swift
  /// var rows = store.fetch(Post.all).jsonRows(try JSONFields([\.title, \.author.name]))
  /// ```
  /// - Parameters:
  ///   - fields: what is written of each row.
  ///   - positions: which rows; nil for all.
  /// - Complexity: O(log *n*); each row costs O(1) and what its values cost.
  public func jsonRows(_ fields: JSONFields<Element>, in positions: Range<Int>? = nil) -> JSONRows<Element> {
    let positions = positions ?? 0..<count
    precondition(
      positions.lowerBound >= 0 && positions.upperBound <= count,
      "positions \(positions) are not in \(indices)")
    return JSONRows(self, fields, positions)
  }
}
