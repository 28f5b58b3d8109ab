public import Foundation

/// Fills a store that continues an earlier one: its objects have their earlier places in insertion order.
///
/// See ``Store/init(_:identity:version:lostVersions:isReadOnly:configuration:restoring:)``.
public struct StoreRestoration: ~Copyable {
  let transaction: WriteTransaction

  /// Adds objects of an entity, in insertion order.
  ///
  /// - Parameter rows: objects with their places: above the places of all objects before, below 2⁴⁷.
  /// - Throws: `invalidRestoration`; as `WriteTransaction.insert(contentsOf:)`.
  /// - Complexity: as `WriteTransaction.insert(contentsOf:)`. Places without gaps cost least time and memory.
  public mutating func insert<Element: Entity>(
    contentsOf rows: some Sequence<(place: UInt64, object: Element)>
  ) throws(StoreError) {
    let isReserved = transaction.reserve(rows.underestimatedCount, for: Element.self)
    defer { if isReserved { transaction.finishLoading(Element.self) } }
    var portion: ContiguousArray<Element> = []
    var hashes: ContiguousArray<UInt64> = []
    var next: UInt64?
    func flush() throws(StoreError) {
      // A portion takes longer than a few objects.
      if portion.count < 8 {
        for object in portion { try transaction.insert(object) }
      } else {
        for object in portion[try transaction.append(portion, hashes)...] { try transaction.insert(object) }
      }
      portion.removeAll(keepingCapacity: true)
      hashes.removeAll(keepingCapacity: true)
    }
    for (place, object) in rows {
      if place != next || portion.count == 256 { try flush() }
      if place != next { try setNextPlace(of: Element.self, to: place) }
      portion.append(object)
      hashes.append(idHash(object.id))
      next = place + 1
    }
    try flush()
  }

  /// Sets the place that the next object of an entity gets: the first place that was never given, so that
  /// none is given twice.
  ///
  /// - Parameters:
  ///   - type: the entity.
  ///   - place: not below the places of all objects before, below 2⁴⁷.
  /// - Throws: `invalidRestoration`; `unknownEntity`.
  public mutating func setNextPlace<Element: Entity>(
    of type: Element.Type, to place: UInt64
  ) throws(StoreError) {
    try transaction.state.setNextRow(of: type, to: place)
  }
}

extension Store {
  /// Makes a store that continues an earlier one, in another process: for code that saves stores' content.
  ///
  /// ```swift
  /// let restored = try Store(Post.self, identity: store.identity, version: store.version) { contents in
  ///   let difference = try store.snapshot().difference(from: empty)
  ///   try contents.insert(
  ///     contentsOf: difference.changes(of: Post.self).lazy.compactMap { change in
  ///       change.new.flatMap { post in change.newPlace.map { (place: $0, object: post) } }
  ///     })
  ///   try contents.setNextPlace(of: Post.self, to: store.snapshot().nextPlace(of: Post.self))
  /// }
  /// ```
  /// Cursors of pages and versions that clients have kept are valid in it. It has no history: changes since
  /// earlier versions are not available.
  /// - Parameters:
  ///   - types: the entities.
  ///   - identity: the earlier store's identity. Neither that store nor another one may continue with it.
  ///   - version: the version whose content this is; at most 2⁶¹, and at least 1 if there are objects.
  ///   - lostVersions: versions of the earlier store whose content was not saved: they are never made again,
  ///     and cursors of their pages are refused.
  ///   - isReadOnly: whether it is the store of another process, which alone makes versions: writes throw `readOnly`.
  ///   - configuration: how the store works.
  ///   - body: adds the objects.
  /// - Throws: as ``init(_:configuration:)``; what the body throws; an error of a rule that the objects break, as at any
  ///   commit; `invalidRestoration`.
  public convenience init<each Element: Entity>(
    _ types: repeat (each Element).Type, identity: UUID, version: Version,
    lostVersions: [ClosedRange<Version>] = [], isReadOnly: Bool = false,
    configuration: Configuration = Configuration(),
    restoring body: (inout StoreRestoration) throws -> Void
  ) throws {
    guard version.number <= 1 << 61 else {
      throw StoreError(
        StoreError.invalidRestoration, "A store cannot go on at version \(version), which is above 2⁶¹.")
    }
    var entities: [EntityInfo] = []
    for type in repeat each types { entities.append(try EntityInfo(type)) }
    let catalog = try Catalog(entities, identity: identity, lostVersions: lostVersions)
    let pins = VersionPins()
    let before = Version(max(version.number, 1) - 1)
    let empty = ReadContext(
      catalog: catalog, tables: entities.map { TableState($0) }, version: before.number)
    let state = TransactionState(
      StoreState(version: before, context: empty, pins: pins), TableReservations(tables: [], held: []))
    var restoration = StoreRestoration(transaction: WriteTransaction(state: state))
    try body(&restoration)
    try restoration.transaction.check(isOf: state)
    let record = try state.finish(origin: nil, pins: pins)
    // Without a commit, the next places are kept, too.
    var context = ReadContext(catalog: catalog, tables: state.tables, version: version.number)
    if let record, record.version == state.version { context = record.after.context }
    self.init(context, Version(context.version), configuration, isReadOnly: isReadOnly)
  }
}

extension Snapshot {
  /// The place in insertion order that the next object of an entity gets at the least: above those of all objects that
  /// this version or one before it had.
  ///
  /// - Returns: 1 for an entity that the store was made without.
  public func nextPlace<Element: Entity>(of type: Element.Type) -> UInt64 {
    state.catalog.index(of: type).map { state.tables[$0].nextRow } ?? 1
  }
}
