import LiveStore

// Optimistic edits. What the store shows is the server's state with the edits that are not decided yet run on it, in
// their order. While there are some, the server's state is a store of its own, a copy that shares what does not differ
// (`base`). A transaction of the server is applied to that; then the edits run again on a copy of it, and the rows that
// differ are written to the store shown, in the same commit. So an edit never hides what the server says, and needs no
// inverse: when it is decided, it is left out.
//
// What may differ from the base in the store shown are the rows that the edits changed the last time (`shown`); what may
// differ from before in the base are the rows that the transaction changed. These and what the edits change now are all
// rows that are written (Z4, Z5).

/// The edits that are shown before the server has decided on them.
///
/// It is used within write transactions of the store shown alone, which keeps it and the store consistent.
struct Overlay: Sendable {
  typealias Body = @Sendable (inout WriteTransaction) throws -> Void

  private struct Edit {
    let id: UInt64
    /// The transaction of the server that decides on it, once that is known.
    var xid: UInt64?
    let body: Body
  }

  private struct Base {
    let store: Store
    let reservation: WriteReservation
  }

  private var tables: [any OverlayTable]
  private let entities: [any Entity.Type]
  private var edits: [Edit] = []
  private var base: Base?

  init(_ tables: [any ReplicatedTable]) {
    self.tables = tables.map { Self.table($0.entity) }
    entities = tables.map(\.entity)
  }

  private static func table<Element: Entity>(_: Element.Type) -> any OverlayTable {
    TypedOverlayTable<Element>()
  }

  var count: Int { edits.count }

  /// The numbers of the transactions that decide on edits.
  var transactions: [UInt64] { edits.compactMap(\.xid) }

  /// The server's state, without edits.
  func serverState(of shown: Store) -> Snapshot { base?.store.snapshot() ?? shown.snapshot() }

  // MARK: Edits

  /// Shows an edit.
  ///
  /// - Parameter shown: the store shown, of which the transaction is.
  /// - Throws: what the edit throws; then it is not shown.
  mutating func begin(_ id: UInt64, _ body: @escaping Body, _ shown: Store, _ tx: inout WriteTransaction)
    throws
  {
    if base == nil { base = try makeBase(shown.snapshot()) }
    edits.append(Edit(id: id, body: body))
    do {
      try rebase(nil, requiring: id, &tx)
    } catch {
      edits.removeLast()
      if edits.isEmpty { base = nil }
      throw error
    }
  }

  /// Says which transaction of the server decides on an edit.
  mutating func setTransaction(_ xid: UInt64, of id: UInt64) {
    if let index = edits.firstIndex(where: { $0.id == id }) { edits[index].xid = xid }
  }

  /// Leaves an edit out, as the server has decided on it.
  mutating func end(_ id: UInt64, _ tx: inout WriteTransaction) throws {
    guard let index = edits.firstIndex(where: { $0.id == id }) else { return }
    edits.remove(at: index)
    try rebase(nil, &tx)
  }

  // MARK: Changes of the server

  /// Applies what the server did.
  ///
  /// - Parameters:
  ///   - isDecided: whether a transaction is among what is applied, so that its edit is left out.
  ///   - body: applies it to a transaction of a store that has the server's state.
  mutating func apply(
    isDecided: (UInt64) -> Bool, to tx: inout WriteTransaction,
    _ body: (inout WriteTransaction) throws -> Void
  ) throws {
    guard let base else { return try body(&tx) }
    let before = base.store.snapshot()
    try base.store.write(using: base.reservation) { baseTransaction in try body(&baseTransaction) }
    edits.removeAll { $0.xid.map(isDecided) ?? false }
    try rebase(try base.store.snapshot().difference(from: before), &tx)
  }

  /// Runs the edits on the server's state, and writes the rows that differ to the store shown.
  ///
  /// - Parameters:
  ///   - changes: what the server changed.
  ///   - id: an edit whose error is thrown. Another that fails is left out as long as it does.
  private mutating func rebase(
    _ changes: StoreDifference?, requiring id: UInt64? = nil, _ tx: inout WriteTransaction
  ) throws {
    guard let base else { return }
    let start = base.store.snapshot()
    let edited = try makeBase(start)
    let first = edited.store.snapshot()
    for edit in edits {
      do {
        try edited.store.write(using: edited.reservation) { tx in try edit.body(&tx) }
      } catch  where edit.id != id {
        continue
      }
    }
    let last = edited.store.snapshot()
    let difference = try last.difference(from: first)
    for index in tables.indices { try tables[index].write(changes, difference, last, &tx) }
    if edits.isEmpty { self.base = nil }
  }

  private func makeBase(_ snapshot: Snapshot) throws -> Base {
    let store = Store(copying: snapshot, configuration: Self.configuration)
    return Base(store: store, reservation: try store.reserveWrites(to: entities))
  }

  /// No observer follows these stores.
  private static var configuration: Store.Configuration {
    var configuration = Store.Configuration()
    (configuration.historyCommits, configuration.historyRows) = (0, 0)
    return configuration
  }
}

/// The objects of an entity that edits have changed in the store shown.
private protocol OverlayTable: Sendable {
  /// Writes all that may differ.
  mutating func write(
    _ changes: StoreDifference?, _ edits: StoreDifference, _ edited: Snapshot, _ tx: inout WriteTransaction
  ) throws
}

private struct TypedOverlayTable<Element: Entity>: OverlayTable {
  private var shown: Set<Element.ID> = []

  mutating func write(
    _ changes: StoreDifference?, _ edits: StoreDifference, _ edited: Snapshot, _ tx: inout WriteTransaction
  ) throws {
    let before = shown
    shown = []
    var written: Set<Element.ID> = []
    func write(_ id: Element.ID) throws {
      guard written.insert(id).inserted else { return }
      if let object = edited[Element.self, id] {
        try tx.upsert(object)
      } else {
        try tx.delete(Element.self, id)
      }
    }
    for change in changes?.changes(of: Element.self).map({ $0.new ?? $0.old }) ?? [] {
      if let id = change?.id { try write(id) }
    }
    for change in edits.changes(of: Element.self) {
      guard let id = (change.new ?? change.old)?.id else { continue }
      shown.insert(id)
      try write(id)
    }
    for id in before { try write(id) }
  }
}
