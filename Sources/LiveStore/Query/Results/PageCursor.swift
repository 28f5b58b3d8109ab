import Foundation

/// Where the next page of a query begins: behind the last row of a page.
///
/// ```swift
/// let page = try store.page(of: posts, first: 20)
/// let url = "/posts?after=\(try JSONEncoder().encode(page.next).base64EncodedString())"
/// ```
/// It has the values by which that row was sorted, and its place among rows of equal values. So rows that are inserted,
/// deleted or changed in the meantime, the row itself included, do not move it. It can be encoded, and used with any
/// version of its store and with any filter or limit, but only with the same entity and sort.
///
/// Ties are ordered by insertion, which a store alone knows. So a cursor belongs to a store: to a file's
/// store also after it was opened again, and to a store in memory until the process ends. Where the sort has
/// no ties, as one by the id or by a unique property, it can be used with any store that has such objects,
/// outside of a transaction.
///
/// Entries of a list (`Post.linked(from: \User.posts, of: id)`) have their places in that list. If so many
/// are inserted at one place that the entries around it have to make room, older cursors of the list are
/// refused with `invalidCursor`.
public struct PageCursor: Hashable, Sendable, Codable {
  /// The entity and the sort, as text.
  let order: [String]
  /// The row's values, by which it was sorted.
  let values: [JSONValue]
  /// Its place among rows of equal values.
  let tie: UInt64
  /// The number of the labelling that the tie belongs to (R11); nil unless the rows are those of a list.
  let numbering: UInt64?
  /// The store that knows the place, and the version of the page; nil in a cursor without them.
  let store: UUID?
  let version: Version?
}

extension PageCursor {
  private enum CodingKeys: CodingKey {
    case order, texts, tie, numbering, store, version
  }

  /// Reads a cursor that was encoded.
  ///
  /// - Throws: a `DecodingError` if the input is not a cursor.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    order = try container.decode([String].self, forKey: .order)
    tie = try Self.number(in: container, .tie)
    numbering = container.contains(.numbering) ? try Self.number(in: container, .numbering) : nil
    store = try container.decodeIfPresent(UUID.self, forKey: .store)
    version = container.contains(.version) ? Version(try Self.number(in: container, .version)) : nil
    values = try container.decode([String].self, forKey: .texts).map { text in
      do {
        return try JSONValue(parsing: text)
      } catch {
        throw DecodingError.dataCorruptedError(
          forKey: .texts, in: container, debugDescription: "A value is not JSON: \(error).")
      }
    }
  }

  /// A whole number that is written as text. When Foundation's decoder reads a whole number, some numbers of
  /// many digits make it end the process, and a cursor comes from outside.
  private static func number(
    in container: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys
  ) throws -> UInt64 {
    if let number = UInt64(try container.decode(String.self, forKey: key)) { return number }
    throw DecodingError.dataCorruptedError(
      forKey: key, in: container, debugDescription: "The text is no whole number.")
  }

  /// Writes the values as texts: a coder rounds numbers that neither 64 bits nor a `Double` hold, and a position between
  /// two rows would be behind both, or before.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(order, forKey: .order)
    try container.encode(values.map(\.description), forKey: .texts)
    try container.encode("\(tie)", forKey: .tie)
    try container.encodeIfPresent(numbering?.description, forKey: .numbering)
    try container.encodeIfPresent(store, forKey: .store)
    try container.encodeIfPresent(version?.description, forKey: .version)
  }
}

extension PageCursor {
  /// The cursor behind an entry of a result.
  ///
  /// - Parameters:
  ///   - source: the list that the rows belong to.
  ///   - transaction: the identity of the uncommitted transaction in which the rows are read, if any.
  /// - Throws: `invalidCursor` if a sort key's type is not `Codable`, or its value cannot be encoded.
  init(
    behind key: TreeKey, of window: ResultWindow, _ source: ListSource?, _ context: ReadContext,
    _ transaction: UUID?
  ) throws(StoreError) {
    let row = context.tables[window.table].existing(window.rowNumber(key))
    var values: [JSONValue] = []
    for key in window.order.keys {
      guard let value = key.coder?.encode(row, context) else {
        throw StoreError(
          StoreError.invalidCursor,
          "No page ends here: the value of \(key.path), by which the rows are sorted, cannot be encoded. Its type must be Codable, and a Decimal no NaN.",
          entity: context.catalog.entities[window.table].name, property: "\(key.path)")
      }
      values.append(value)
    }
    order = Self.order(window.order, window.table, context)
    self.values = values
    tie = window.name(key)
    numbering = source?.numbering(in: context)
    // Labels of list entries are valid in this process only, and places in a transaction may be given again.
    let isKept = context.isCommitted && !window.tree.layout.areOccurrences
    store = isKept ? context.catalog.identity : transaction ?? context.catalog.life
    version = isKept ? Version(context.version) : nil
  }

  /// Whether the store of a context knows the place.
  private func isPlace(of context: ReadContext, _ transaction: UUID?) -> Bool {
    if store == context.catalog.life || transaction != nil && store == transaction { return true }
    guard store == context.catalog.identity, let version else { return false }
    return !context.catalog.isLost(version)
  }

  /// The position in a query's order.
  ///
  /// - Parameters:
  ///   - source: the list that the rows belong to.
  ///   - transaction: the identity of the uncommitted transaction in which the rows are read, if any.
  /// - Throws: `invalidCursor` if the cursor belongs to another entity or sort, or to another store or list,
  ///   and there may be ties.
  func position(
    in order: RowOrder, of source: ListSource?, _ table: Int, _ context: ReadContext,
    _ transaction: UUID?
  ) throws(StoreError) -> RowPosition {
    let expected = Self.order(order, table, context)
    func invalid(_ reason: String) -> StoreError {
      StoreError(
        StoreError.invalidCursor, "\(reason) Begin at the first page.",
        entity: context.catalog.entities[table].name)
    }
    // By bytes: a client returns a cursor unchanged, and comparing texts with many marks takes long.
    guard self.order.elementsEqual(expected, by: { $0.utf8.elementsEqual($1.utf8) }) else {
      throw invalid("The cursor is of a query of \(Self.shown(self.order)), not of \(Self.shown(expected)).")
    }
    let bounds = zip(order.keys, values).compactMap { key, value in
      key.coder?.bound(value).map { ($0, key.order) }
    }
    guard bounds.count == order.keys.count, values.count == order.keys.count else {
      throw invalid(
        "The cursor is of a query of \(Self.shown(expected)), but has no such values: it was altered, or made before a property had its present type."
      )
    }
    // Without ties, a row with these values is the cursor's own, perhaps deleted and inserted again.
    if source == nil, order.isTotal(for: context.catalog.entities[table], context) {
      return RowPosition(bounds: bounds, tie: .max)
    }
    guard isPlace(of: context, transaction) else {
      throw invalid(
        "The cursor is of another store, or of a version that was lost when its process ended, and no other knows the order of rows that have equal values. The store of a file goes on with cursors when it is opened again; a sort that ends with the id does in any store."
      )
    }
    let current = source?.numbering(in: context)
    // Then no page has rows.
    let isEmptyList = source?.isOrdered == true && current == nil
    guard isEmptyList || current == numbering else {
      throw invalid(
        "The cursor is of another list, or many entries were inserted at one place of this one since.")
    }
    return RowPosition(bounds: bounds, tie: tie)
  }

  private static func order(_ order: RowOrder, _ table: Int, _ context: ReadContext) -> [String] {
    [context.catalog.entities[table].name] + order.keys.map(\.exactDescription)
  }

  private static func shown(_ order: [String]) -> String {
    let keys = order.dropFirst().joined(separator: ", ")
    let text = "\(order.first ?? "nothing") " + (keys.isEmpty ? "without a sort" : "sorted by \(keys)")
    // A cursor comes from outside.
    return MessageText.line(text)
  }
}
