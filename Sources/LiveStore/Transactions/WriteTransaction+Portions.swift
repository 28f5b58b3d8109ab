// Writing many objects at once.

extension WriteTransaction {
  /// Passes objects on in portions, with the hashes of their ids.
  ///
  /// Inlined into the caller, so that objects are copied and ids hashed by code that knows their types.
  @inlinable
  func forEachPortion<Element: Entity>(
    of objects: some Sequence<Element>,
    _ body: (ContiguousArray<Element>, _ hashes: ContiguousArray<UInt64>) throws(StoreError) -> Void
  ) throws(StoreError) {
    let isReserved = reserve(objects.underestimatedCount, for: Element.self)
    defer { if isReserved { finishLoading(Element.self) } }
    var portion: ContiguousArray<Element> = []
    var hashes: ContiguousArray<UInt64> = []
    for object in objects {
      portion.append(object)
      hashes.append(idHash(object.id))
      if portion.count < 256 { continue }
      try body(portion, hashes)
      portion.removeAll(keepingCapacity: true)
      hashes.removeAll(keepingCapacity: true)
    }
    if !portion.isEmpty { try body(portion, hashes) }
  }

  /// Prepares the ids of an empty table for objects.
  ///
  /// - Returns: whether `finishLoading` must follow.
  @usableFromInline
  func reserve<Element: Entity>(_ count: Int, for type: Element.Type) -> Bool {
    guard let table = state.catalog.index(of: type), count > 0, state.tables[table].ids.count == 0 else {
      return false
    }
    return state.tables[table].ids.reserve(count)
  }

  @usableFromInline
  func finishLoading<Element: Entity>(_ type: Element.Type) {
    if let table = state.catalog.index(of: type) { state.tables[table].ids.mergeLeaves() }
  }

  /// Adds the first objects of a portion, as long as their ids have hashes of their own.
  ///
  /// - Returns: how many were added. The next object needs a comparison of ids; in an optimistic transaction all do,
  ///   which records each write.
  @usableFromInline
  func append<Element: Entity>(
    _ portion: ContiguousArray<Element>, _ hashes: ContiguousArray<UInt64>
  ) throws(StoreError) -> Int {
    guard let first = portion.first, state.trace == nil else { return 0 }
    let table = try state.table(for: first)
    return state.tables[table].append(
      portion, hashes: hashes, state.catalog.entities[table], stamp: state.version.number)
  }
}
