package import LiveStore

// Optimistic edits. What the store shows is the server's state with the edits that are not decided yet run on it, in
// their order. Each table remembers the server's objects where edits changed them. So the server's state is the store
// shown with these restored: a copy, which shares what does not differ. A transaction of the server is applied to that;
// then the edits run again, each on a copy of what the one before made, and the rows that differ are written to the store
// shown, in the same commit. So an edit never hides what the server says, and needs no inverse: when it is decided, it is
// left out.
//
// What may differ from the server's state in the store shown are the rows that the edits changed the last time (`server`);
// what may differ from before in the server's state are the rows that the transaction changed. These and what the edits
// change now are all rows that are written (Z4, Z5).

/// The edits that are shown before the server has decided on them.
///
/// It is a value: a transaction of the store shown changes a copy, which takes its place with the commit. So the two are
/// consistent, and an edit that fails leaves no trace.
package struct Overlay: Sendable {
  package typealias Body = @Sendable (inout WriteTransaction) throws -> Void

  private struct Edit {
    let id: UInt64
    /// The transaction of the server that decides on it, once that is known.
    var xid: UInt64?
    let body: Body
  }

  private var tables: [any OverlayTable]
  private let replicated: [any Entity.Type]
  private let locals: [any Entity.Type]
  private var edits: [Edit] = []

  /// - Parameters:
  ///   - replicated: the entities that edits may change.
  ///   - locals: the other entities of the store.
  init(_ replicated: [any Entity.Type], locals: [any Entity.Type]) {
    (self.replicated, self.locals) = (replicated, locals)
    tables = replicated.map { Self.table($0) }
  }

  private static func table<Element: Entity>(_: Element.Type) -> any OverlayTable {
    TypedOverlayTable<Element>()
  }

  package var count: Int { edits.count }

  /// The numbers of the transactions that decide on edits.
  var transactions: [UInt64] { edits.compactMap(\.xid) }

  /// Whether an edit is shown on which the server has not decided.
  func contains(_ id: UInt64) -> Bool { edits.contains { $0.id == id } }

  /// The server's state, without edits.
  func serverState(of shown: Store) throws -> Snapshot {
    let state = shown.snapshot()
    if isEmpty { return state }
    // What links to the objects of edits has to stay as it is, so no rule holds.
    return try change(state, reserving: replicated + locals) { tx in
      for table in tables { try table.restore(in: &tx) }
    }.after
  }

  /// Whether the store shown has the server's state.
  private var isEmpty: Bool { edits.isEmpty && tables.allSatisfy(\.isEmpty) }

  // MARK: Edits

  /// Shows an edit.
  ///
  /// - Parameter shown: the store shown, of which the transaction is.
  /// - Throws: what the edit throws; `readOnly` if it changes an entity that is not replicated.
  mutating func begin(_ id: UInt64, _ body: @escaping Body, _ shown: Store, _ tx: inout WriteTransaction)
    throws
  {
    let state = try serverState(of: shown)
    edits.append(Edit(id: id, body: body))
    try show(on: state, requiring: id, &tx)
  }

  /// Says which transaction of the server decides on an edit.
  mutating func setTransaction(_ xid: UInt64, of id: UInt64) {
    if let index = edits.firstIndex(where: { $0.id == id }) { edits[index].xid = xid }
  }

  /// Leaves an edit out, as the server has decided on it.
  mutating func end(_ id: UInt64, _ shown: Store, _ tx: inout WriteTransaction) throws {
    let state = try serverState(of: shown)
    forget(id)
    try show(on: state, &tx)
  }

  /// Leaves an edit out the next time that edits are shown.
  mutating func forget(_ id: UInt64) { edits.removeAll { $0.id == id } }

  // MARK: Changes of the server

  /// Applies what the server did.
  ///
  /// - Parameters:
  ///   - isDecided: whether a transaction is among what is applied, so that its edit is left out.
  ///   - shown: the store shown, of which the transaction is.
  ///   - body: applies it to a transaction of a store that has the server's state.
  mutating func apply(
    isDecided: (UInt64) -> Bool, _ shown: Store, _ tx: inout WriteTransaction,
    _ body: (inout WriteTransaction) throws -> Void
  ) throws {
    if isEmpty { return try body(&tx) }
    let changes = try change(try serverState(of: shown), body)
    edits.removeAll { $0.xid.map(isDecided) ?? false }
    try show(on: changes.after, after: changes, &tx)
  }

  /// Runs the edits on the server's state, and writes the rows that differ to the store shown.
  ///
  /// - Parameters:
  ///   - changes: what the server changed.
  ///   - id: an edit whose error is thrown. Another that fails is left out as long as it does.
  private mutating func show(
    on server: Snapshot, after changes: StoreDifference? = nil, requiring id: UInt64? = nil,
    _ tx: inout WriteTransaction
  ) throws {
    var state = server
    var differences: [StoreDifference] = []
    for edit in edits {
      do {
        let difference = try change(state, edit.body)
        try requireReplicated(difference)
        differences.append(difference)
        state = difference.after
      } catch  where edit.id != id {
        continue
      }
    }
    for index in tables.indices {
      try tables[index].write(changes, differences, server: server, shown: state, &tx)
    }
  }

  // MARK: Copies

  /// Runs a body on a copy of a state.
  ///
  /// - Parameter entities: those that the body alone may change, and whose rules do not hold; the replicated ones if
  ///   nil.
  /// - Returns: the copy before and after.
  private func change(
    _ state: Snapshot, reserving entities: [any Entity.Type]? = nil,
    _ body: (inout WriteTransaction) throws -> Void
  ) throws -> StoreDifference {
    let copy = Store(copying: state, configuration: Self.configuration)
    let reservation = try copy.reserveWrites(to: entities ?? replicated)
    let before = copy.snapshot()
    try copy.write(using: reservation, body)
    return try copy.snapshot().difference(from: before)
  }

  /// No observer follows the copies.
  static var configuration: Store.Configuration {
    var configuration = Store.Configuration()
    (configuration.historyCommits, configuration.historyRows) = (0, 0)
    return configuration
  }

  /// An edit's copy is thrown away, and the store shown is only given what is the server's.
  private func requireReplicated(_ difference: StoreDifference) throws {
    for entity in locals { try Self.requireSame(entity, difference) }
  }

  private static func requireSame<Element: Entity>(
    _: Element.Type, _ difference: StoreDifference
  ) throws {
    guard let change = difference.changes(of: Element.self).first, let object = change.old ?? change.new
    else { return }
    throw PostgresError(
      PostgresError.readOnly,
      "The optimistic edit changes \(Element.self) \(object.id), by itself or by the delete rule of a link. \(Element.self) is not replicated, so that could not be undone when the server refuses. Write it by `store.write`.",
      value: "\(object.id)")
  }
}

/// The objects of an entity that edits have changed in the store shown.
private protocol OverlayTable: Sendable {
  /// Whether edits have changed none.
  var isEmpty: Bool { get }

  /// Writes the server's objects to a store that has what is shown.
  func restore(in tx: inout WriteTransaction) throws

  /// Writes all that may differ to the store shown.
  ///
  /// - Parameters:
  ///   - changes: what the server changed.
  ///   - edits: what each edit changes.
  ///   - server: the server's state.
  ///   - shown: the server's state with the edits.
  mutating func write(
    _ changes: StoreDifference?, _ edits: [StoreDifference], server: Snapshot, shown: Snapshot,
    _ tx: inout WriteTransaction
  ) throws
}

private struct TypedOverlayTable<Element: Entity>: OverlayTable {
  /// The server's objects, nil for those that it does not have.
  private var server: [Element.ID: Element?] = [:]

  var isEmpty: Bool { server.isEmpty }

  func restore(in tx: inout WriteTransaction) throws {
    for (id, object) in server {
      if let object { try tx.upsert(object) } else { try tx.delete(Element.self, id) }
    }
  }

  mutating func write(
    _ changes: StoreDifference?, _ edits: [StoreDifference], server: Snapshot, shown: Snapshot,
    _ tx: inout WriteTransaction
  ) throws {
    let before = self.server.keys
    self.server = [:]
    var written: Set<Element.ID> = []
    func write(_ id: Element.ID) throws {
      guard written.insert(id).inserted else { return }
      if let object = shown[Element.self, id] {
        try tx.upsert(object)
      } else {
        try tx.delete(Element.self, id)
      }
    }
    for id in changes.map(ids) ?? [] { try write(id) }
    for id in edits.flatMap(ids) {
      self.server[id] = .some(server[Element.self, id])
      try write(id)
    }
    for id in before { try write(id) }
  }

  private func ids(_ difference: StoreDifference) -> [Element.ID] {
    difference.changes(of: Element.self).compactMap { ($0.new ?? $0.old)?.id }
  }
}
