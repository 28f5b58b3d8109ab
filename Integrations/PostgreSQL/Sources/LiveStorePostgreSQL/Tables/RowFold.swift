import LiveStore

/// What one transaction of the server does to the rows of a table, by their ids, until it ends.
///
/// While a transaction runs, two rows may have one id, where the key is deferrable, and a row may be deleted before another
/// of the same id is inserted. Applied as they come, the former would lose a row, and the latter would delete an
/// object with all that links to it and put another in a new place. So rows are removed at the end, and a second row of
/// an id waits until the first has left it.
///
/// ```
/// vacated   the ids whose row has left them; the store still has its object
/// waiting   the rows of ids of which the store has another row's object
/// ```
/// Memory: the ids that rows have left, and what waits; a table that is truncated takes the ids of its new rows.
struct RowFold<Element: Entity> {
  private var vacated: Set<Element.ID> = []
  /// The ids of the rows since the table was truncated; nil if it was not. All others are vacated then.
  private var occupied: Set<Element.ID>?
  private var waiting: [Element.ID: [(row: TupleData, object: Element)]] = [:]

  /// The object of the row that an id was read from, if the store has one or it waits.
  func object(_ id: Element.ID, of row: TupleData?, _ isFull: Bool, in tx: borrowing WriteTransaction)
    -> Element?
  {
    let other = row.flatMap { row in waiting[id]?.first { $0.row.isSame(as: row, isFull) } }
    return other?.object ?? tx[Element.self, id]
  }

  /// Whether a row may be replaced by another of its id without a further look.
  func isAlone(_ id: Element.ID) -> Bool { waiting.isEmpty || waiting[id] == nil }

  /// A row is inserted, or comes to the id of its object.
  mutating func put(_ object: Element, _ row: TupleData, in tx: inout WriteTransaction) throws {
    let id = object.id
    if occupied?.insert(id).inserted == true || !vacated.isEmpty && vacated.remove(id) != nil {
      return try tx.upsert(object)
    }
    do {
      try tx.insert(object)
    } catch {
      guard error.code == StoreError.duplicateID, tx[Element.self, id] != nil else { throw error }
      waiting[id, default: []].append((row.alone, object))
    }
  }

  /// A row is deleted, or leaves its id.
  ///
  /// - Parameter isFull: whether all columns of the row are there, and not only those of the replica identity.
  mutating func remove(
    _ id: Element.ID, _ row: TupleData, _ isFull: Bool, in tx: inout WriteTransaction
  ) throws {
    guard var others = waiting[id] else {
      if occupied == nil { vacated.insert(id) } else { occupied?.remove(id) }
      return
    }
    if let index = others.firstIndex(where: { $0.row.isSame(as: row, isFull) }) {
      others.remove(at: index)
    } else {
      try tx.upsert(others.removeFirst().object)
    }
    waiting[id] = others.isEmpty ? nil : others
  }

  /// All rows are deleted.
  mutating func removeAll() { (vacated, occupied, waiting) = ([], [], [:]) }

  /// Applies what is left at the end of the transaction.
  ///
  /// - Returns: two objects of one id, if there are any: then the transaction cannot be applied.
  mutating func finish(in tx: inout WriteTransaction) throws -> (Element, Element)? {
    defer { self = RowFold() }
    if let (id, others) = waiting.first, let first = tx[Element.self, id] { return (first, others[0].object) }
    if let occupied {
      if occupied.isEmpty { try tx.deleteAll(Element.self) }
      for object in tx.fetch(Element.all) where !occupied.contains(object.id) {
        try tx.delete(Element.self, object.id)
      }
    }
    for id in vacated { try tx.delete(Element.self, id) }
    return nil
  }
}

extension TupleData {
  /// The row with bytes of its own, without those of others.
  fileprivate var alone: TupleData {
    var (bytes, fields): ([UInt8], [Field]) = ([], [])
    for column in 0..<count {
      let start = bytes.count
      bytes += value(column)
      fields.append(Field(self[column].form, start..<bytes.count))
    }
    return TupleData(bytes: bytes, fields: fields)
  }

  /// The columns of the replica identity alone.
  func identity(_ isKey: [Bool]) -> TupleData {
    TupleData(bytes: bytes, fields: (0..<count).map { $0 < isKey.count && isKey[$0] ? self[$0] : .null })
  }

  /// Whether a row has the values of another: of all columns, or of those that are there if it has its replica identity
  /// alone, with nulls elsewhere.
  fileprivate func isSame(as other: TupleData, _ isFull: Bool) -> Bool {
    if isFull { return self == other }
    return count == other.count
      && (0..<count).allSatisfy {
        other[$0].form == .null || self[$0].form == other[$0].form && value($0) == other.value($0)
      }
  }
}
