/// The objects a query found, pinned to their version: an immutable collection that shares the store's
/// memory.
///
/// Copying costs O(1), counting O(1), an element O(log *n*), iteration O(1) an element and a lookup.
/// Holding results holds their version.
public struct Results<Element: Entity>: RandomAccessCollection, Sendable {
  package let state: StoreState
  package let window: ResultWindow

  /// The version the objects are those of.
  public let version: Version

  package init(state: StoreState, window: ResultWindow, version: Version? = nil) {
    self.state = state
    self.window = window
    self.version = version ?? state.version
  }

  /// Why the results are not what was asked for, if so: `unknownEntity` where the store was made without the entity,
  /// so that there are none; `filterFailed` where a predicate threw, and the objects it threw for are not among them.
  public var error: StoreError? { window.failures?.error }

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

  /// The object with an id, if the query found it.
  ///
  /// - Complexity: O(log *n*).
  public subscript(id id: Element.ID) -> Element? { firstIndex(id: id).map { self[$0] } }

  /// The position of the object with an id, if the query found it.
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

  /// The object behind an entry: in the table's own tree it lies beside its key.
  private func object(_ key: TreeKey, _ payload: UnsafeRawPointer) -> UnsafePointer<Element> {
    let isTable = window.tree.layout === table.rows.layout
    // Rows of this table hold Elements, and this value holds the version they belong to.
    return (isTable ? payload : table.existing(window.rowNumber(key))).object(as: Element.self)
  }

  private var table: TableState { state.tables[window.table] }

  /// The entity as the store knows it; nil where the store was made without it.
  var info: EntityInfo? { window.table < 0 ? nil : state.catalog.entities[window.table] }

  /// Walks the tree once, leaf by leaf.
  public func makeIterator() -> Iterator { Iterator(self) }

  /// The objects one after another.
  public struct Iterator: IteratorProtocol {
    private let results: Results
    private var cursor: TreeCursor
    private var remaining: Int

    init(_ results: Results) {
      self.results = results
      cursor = TreeCursor(results.window.tree, at: results.window.ranks.lowerBound)
      remaining = results.window.count
    }

    /// The next object, or nil after the last.
    public mutating func next() -> Element? {
      guard remaining > 0, let entry = cursor.next() else { return nil }
      remaining -= 1
      return results.object(entry.key, entry.payload).pointee
    }
  }
}
