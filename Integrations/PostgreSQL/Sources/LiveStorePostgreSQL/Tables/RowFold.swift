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
/// waiting   the rows of ids that another row has
/// leftOut   the ids whose row had no object before the transaction
/// changes   the ids whose row has none since, and may still have that of the row before it; nil for others that had none
/// ```
/// Memory: the ids that rows have left, and what waits; a table that is truncated takes the ids of its new rows.
struct RowFold<Element: Entity> {
  /// The object of a row, or why it has none.
  typealias Entry = Result<Element, Refusal>

  private let leftOut: LeftOutRows
  /// What becomes of the rows that have no object. It is apart from those, as there may be many, and few change.
  var changes: LeftOutChanges = [:]
  /// The ids of the rows that have none since the transaction.
  private var refused: Set<Element.ID> = []
  private var vacated = OrderedIDs<Element.ID>()
  /// The ids of the rows since the table was truncated; nil if it was not. All others are vacated then.
  private var occupied: Set<Element.ID>?
  private var waiting: [Element.ID: [(row: TupleData, id: Element.ID, entry: Entry)]] = [:]

  /// - Parameter leftOut: the rows that have no object before the transaction.
  init(leftOut: LeftOutRows = [:]) { self.leftOut = leftOut }

  /// Why a row is left out; nil if it is not.
  private func refusal(of id: Element.ID) -> Refusal? {
    if leftOut.isEmpty && changes.isEmpty { return nil }
    let id = RowID(id)
    return changes[id] ?? leftOut[id]
  }

  /// Says that an id has no row that is left out.
  private mutating func forget(_ id: Element.ID) {
    if refusal(of: id) != nil { changes.updateValue(nil, forKey: RowID(id)) }
  }

  /// What a row is, by the id that it has; nil if the table has none that is known.
  func entry(_ id: Element.ID, of row: TupleData, _ isFull: Bool, in tx: borrowing WriteTransaction) -> Entry?
  {
    if let other = waiting[id]?.first(where: { $0.row.isSame(as: row, isFull) }) { return other.entry }
    if let refusal = refusal(of: id) { return .failure(refusal) }
    return tx[Element.self, id].map { .success($0) }
  }

  /// Whether a row may be replaced by another of its id without a further look.
  func isAlone(_ id: Element.ID) -> Bool { areAllAlone || waiting[id] == nil }

  /// Whether any row may be replaced so.
  var areAllAlone: Bool { waiting.isEmpty }

  /// Rows are inserted, if none has an id that another row has, or had before in the transaction.
  ///
  /// - Returns: false if one may have; then nothing is done.
  func insert(_ objects: [Element], in tx: inout WriteTransaction) throws -> Bool {
    guard leftOut.isEmpty, changes.isEmpty, occupied == nil,
      vacated.isEmpty || objects.allSatisfy({ !vacated.contains($0.id) })
    else { return false }
    do {
      try tx.insert(contentsOf: objects)
      return true
    } catch {
      guard error.code == StoreError.duplicateID else { throw error }
      return false
    }
  }

  /// A row is inserted, or comes to its id.
  mutating func put(_ entry: Entry, _ id: Element.ID, _ row: TupleData, in tx: inout WriteTransaction) throws
  {
    if occupied?.insert(id).inserted == true || !vacated.isEmpty && vacated.remove(id) {
      return try set(entry, id, in: &tx)
    }
    if refusal(of: id) == nil {
      switch entry {
      case .success(let object):
        do {
          return try tx.insert(object)
        } catch {
          guard error.code == StoreError.duplicateID, tx[Element.self, id] != nil else { throw error }
        }
      case .failure where tx[Element.self, id] == nil: return try set(entry, id, in: &tx)
      case .failure: break
      }
    }
    waiting[id, default: []].append((row.alone, id, entry))
  }

  /// A row takes the place of the one that has its id.
  mutating func set(_ entry: Entry, _ id: Element.ID, in tx: inout WriteTransaction) throws {
    switch entry {
    case .success(let object):
      forget(id)
      try tx.upsert(object)
    case .failure(let refusal):
      // An object is deleted at the end, as the row may get one in this transaction.
      changes[RowID(id)] = refusal
      refused.insert(id)
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
      try set(others.removeFirst().entry, id, in: &tx)
    }
    waiting[id] = others.isEmpty ? nil : others
  }

  /// All rows are deleted.
  mutating func removeAll() { (vacated, occupied, waiting) = (OrderedIDs(), [], [:]) }

  /// Applies what is left at the end of the transaction.
  ///
  /// - Returns: the ids of two rows that are one id, if there are any: then the transaction cannot be applied.
  mutating func finish(in tx: inout WriteTransaction) throws -> (Element.ID, Element.ID)? {
    if let (id, others) = waiting.first { return (tx[Element.self, id]?.id ?? id, others[0].id) }
    if let occupied {
      if occupied.isEmpty { try tx.deleteAll(Element.self) }
      for object in tx.fetch(Element.all) where !occupied.contains(object.id) {
        try tx.delete(Element.self, object.id)
      }
      for id in [leftOut.keys.map(\.value), changes.keys.map(\.value)].joined() {
        if let id = id as? Element.ID, !occupied.contains(id) { forget(id) }
      }
    }
    for id in vacated.elements {
      try tx.delete(Element.self, id)
      forget(id)
    }
    for id in refused where refusal(of: id) != nil { try tx.delete(Element.self, id) }
    (refused, vacated, occupied) = ([], OrderedIDs(), nil)
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
