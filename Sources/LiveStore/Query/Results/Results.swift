/// The result of a query, pinned to its version: an immutable collection of objects that shares the store's memory.
///
/// Copying costs O(1), counting O(1), an element O(log *n*), iteration O(1) an element and a lookup.
/// Holding results holds their version.
public struct Results<Element: Entity>: RandomAccessCollection, Sendable {
  package let state: StoreState
  package let window: ResultWindow

  /// The version of the objects.
  public let version: Version

  package init(state: StoreState, window: ResultWindow, version: Version? = nil) {
    self.state = state
    self.window = window
    self.version = version ?? state.version
  }

  /// Why the results are empty although objects may meet the filter; nil otherwise. `unknownEntity` if the store was made
  /// without the entity, `filterTooExpensive` if the filter exceeds a limit, `cancelled` if the task was cancelled.
  public var error: StoreError? { window.failure }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  ///
  /// - Complexity: O(1).
  public var endIndex: Int { window.count }

  /// The object at a position.
  ///
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Element {
    precondition(position >= 0 && position < window.count, "position \(position) is not in \(indices)")
    let entry = window.tree.entry(at: window.ranks.lowerBound + position)
    return object(entry.key, entry.payload).pointee
  }

  /// The object with an id, if it is in the result.
  ///
  /// - Complexity: O(log *n*).
  public subscript(id id: Element.ID) -> Element? { firstIndex(id: id).map { self[$0] } }

  /// The position of the object with an id, if it is in the result.
  ///
  /// - Complexity: O(log *n*).
  public func firstIndex(id: Element.ID) -> Int? {
    guard window.table >= 0, let found = state.context.row(of: id, in: window.table, Element.self) else {
      return nil
    }
    return window.position(of: found.row, found.object, state.context)
  }

  /// The ids of the objects, in order.
  public var ids: some RandomAccessCollection<Element.ID> { lazy.map(\.id) }

  /// The object of an entry. In the table's own tree it is stored beside its key.
  private func object(_ key: TreeKey, _ payload: UnsafeRawPointer) -> UnsafePointer<Element> {
    let isTable = window.tree.layout === table.rows.layout
    // Rows of this table hold Elements, and this value holds the version they belong to.
    return (isTable ? payload : table.existing(window.rowNumber(key))).object(as: Element.self)
  }

  private var table: TableState { state.tables[window.table] }

  /// The entity's description; nil if the store was made without it.
  var info: EntityInfo? { window.table < 0 ? nil : state.catalog.entities[window.table] }

  /// Iterates over the tree once, leaf by leaf.
  public func makeIterator() -> Iterator {
    // Without the entity there are no rows.
    Iterator(RowIterator(window, of: window.table < 0 ? window.tree : table.rows))
  }

  /// An iterator over the objects.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var rows: RowIterator

    init(_ rows: RowIterator) { self.rows = rows }

    /// The next object, or nil after the last.
    @inlinable
    public mutating func next() -> Element? {
      guard let object = rows.next() else { return nil }
      // Rows of this table hold Elements, and the iterator holds the table.
      return withExtendedLifetime(rows) { object.object(as: Element.self).pointee }
    }
  }
}
