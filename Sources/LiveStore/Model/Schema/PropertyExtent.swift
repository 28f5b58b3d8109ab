/// The position of a stored property in the objects of its type.
struct PropertyExtent: Sendable {
  let offset: Int
  let size: Int
  let alignment: Int

  /// Nil for computed, observed or wrapped properties.
  init?<Root, Value>(_ keyPath: SendableKeyPath<Root, Value>) {
    guard let offset = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
    self.offset = offset
    size = MemoryLayout<Value>.size
    alignment = MemoryLayout<Value>.alignment
  }
}

extension Schema {
  /// Finds a stored property that is neither listed nor ignored by the gap that the others leave, as far as possible
  /// without an object. A property that fits into a padding gap is not found, nor is any property when a listed one
  /// is computed or wrapped.
  ///
  /// - Throws: `invalidSchema`.
  func checkExtents() throws(StoreError) {
    guard resolver == nil else { return }
    var extents: [(name: String, extent: PropertyExtent)] = []
    for definition in definitions where definition.inverse == nil {
      guard let extent = definition.extent else { return }
      extents.append((definition.name ?? "?", extent))
    }
    // The id is not listed, and need not be stored: one gap may be the id.
    var (end, last, hasID) = (0, "", false)
    func next(_ alignment: Int, after end: Int) -> Int { (end + alignment - 1) / alignment * alignment }
    func isReached(_ offset: Int, _ alignment: Int) -> Bool {
      if offset <= next(alignment, after: end) { return true }
      let id = next(MemoryLayout<Element.ID>.alignment, after: end) + MemoryLayout<Element.ID>.size
      if hasID || next(alignment, after: id) != offset { return false }
      hasID = true
      return true
    }
    for (name, extent) in extents.sorted(by: { $0.extent.offset < $1.extent.offset }) {
      if !isReached(extent.offset, extent.alignment) { throw gap(after: last, before: name) }
      if extent.offset + extent.size > end { (end, last) = (extent.offset + extent.size, name) }
    }
    if !isReached(MemoryLayout<Element>.size, 1) { throw gap(after: last, before: nil) }
  }

  private func gap(after: String, before: String?) -> StoreError {
    let gap =
      switch (after.isEmpty, before) {
      case (true, let before): "before \(before ?? "id")"
      case (false, let before?): "between \(after) and \(before)"
      case (false, nil): "after \(after)"
      }
    return StoreError(
      StoreError.invalidSchema,
      "The schema of \(Element.self) does not mention a stored property \(gap). List each stored property, or add Ignored(\\.…).",
      entity: "\(Element.self)")
  }
}
