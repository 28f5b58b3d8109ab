/// The rows of a query in sections, at one version: an immutable collection of sections.
///
/// ```swift
/// for section in sections {
///   print(section.key)
///   for contact in section { print("  ", contact.name) }
/// }
/// ```
/// Copying costs O(1), counting O(1), a section or an element O(log *m*).
public struct SectionedResults<Element: Entity, Key: Hashable & Sendable>: RandomAccessCollection, Sendable {
  /// All rows in their order: section after section.
  public let results: Results<Element>
  /// The keys of the sections, each with its number of rows.
  package let groups: Results<ResultGroup<Key, Int>>
  private let source: KeySource<Key>
  /// Included keys without rows, in order, each with the number of sections with rows before it.
  private var empty: [(key: Key, before: Int)] = []

  /// - Parameters:
  ///   - linked: values of linked rows that the query names.
  ///   - included: keys whose sections exist even without rows, ascending.
  init(_ side: ResultSide, _ source: KeySource<Key>, _ linked: [NamedValue], included: [Key]) {
    guard let sections = side.sections else {
      preconditionFailure("the result of a query with sections has no sections")
    }
    var window = side.window
    window.linked = linked
    results = Results(state: side.state, window: window, version: side.version)
    groups = Results(state: side.state, window: sections, version: side.version)
    self.source = source
    for key in included {
      let position = groupPosition(key)
      if !position.isFound { empty.append((key, position.index)) }
    }
  }

  /// The version of the rows.
  public var version: Version { results.version }

  /// Why there are no rows although objects may meet the filter; see ``Results/error``.
  public var error: StoreError? { results.error }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { groups.count + empty.count }

  /// The section at an index.
  ///
  /// - Complexity: O(log *m*).
  public subscript(index: Int) -> ResultSection<Element, Key> {
    let (key, count) = section(index)
    var window = results.window
    // A start beyond the rows is possible where keys are inconsistent.
    let start = Swift.min(start(of: key), window.tree.count)
    window.ranks = start..<Swift.min(start + count, window.tree.count)
    return ResultSection(
      id: key, rows: Results(state: results.state, window: window, version: version))
  }

  /// The row at a position.
  ///
  /// - Complexity: O(log *m*).
  public subscript(position: SectionPosition) -> Element { self[position.section][position.row] }

  /// The section of a key, if it has rows or is included.
  ///
  /// - Complexity: O(log *m*).
  public subscript(key key: Key) -> ResultSection<Element, Key>? { firstIndex(key: key).map { self[$0] } }
}

// MARK: Positions

extension SectionedResults {
  /// The index of the section of a key, if it has rows or is included.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public func firstIndex(key: Key) -> Int? {
    let position = groupPosition(key)
    if position.isFound { return index(ofGroup: position.index) }
    let index = empty.indices.partitionPoint { source.rule.compare(empty[$0].key, key) < 0 }
    guard index < empty.count, source.rule.compare(empty[index].key, key) == 0 else { return nil }
    return empty[index].before + index
  }

  /// The position of a key's group, or the position where it would be.
  private func groupPosition(_ key: Key) -> (index: Int, isFound: Bool) {
    let index = groups.window.tree.partitionPoint(first: source.rule.abbreviate(key)) { row in
      source.rule.compare(self.key(ofGroup: row), key) < 0
    }
    return (index, index < groups.count && source.rule.compare(groups[index].key, key) == 0)
  }

  /// The index of the section of a group.
  private func index(ofGroup index: Int) -> Int {
    index + empty.indices.partitionPoint { empty[$0].before <= index }
  }

  /// The key of a section and how many rows it has.
  private func section(_ index: Int) -> (key: Key, count: Int) {
    // The index of an empty section is the number of all sections before it.
    let before = empty.indices.partitionPoint { empty[$0].before + $0 < index }
    if before < empty.count, empty[before].before + before == index { return (empty[before].key, 0) }
    let group = groups[index - before]
    return (group.key, group.value)
  }

  /// The key of the section at an index.
  func key(ofSection index: Int) -> Key { section(index).key }

  /// The indices of the sections that another result does not have, ascending.
  ///
  /// - Parameter groups: indices of groups that the other does not have.
  func sections(notIn other: SectionedResults, groups: [Int]) -> [Int] {
    let filled = groups.filter { other.firstIndex(key: self.groups[$0].key) == nil }.map {
      index(ofGroup: $0)
    }
    let empty = empty.indices.filter { other.firstIndex(key: self.empty[$0].key) == nil }
      .map { self.empty[$0].before + $0 }
    return (filled + empty).sorted()
  }

  private func key(ofGroup row: UInt64) -> Key {
    let object = groups.state.tables[groups.window.table].existing(row)
    // Rows of the table of groups hold ResultGroups.
    return object.object(as: ResultGroup<Key, Int>.self).pointee.key
  }

  /// The position of the row at an index in ``results``.
  ///
  /// - Complexity: O(log *m*).
  public func position(at index: Int) -> SectionPosition {
    let key = key(at: index)
    // Every row has a section, unless its key is inconsistent.
    return SectionPosition(section: firstIndex(key: key) ?? 0, row: Swift.max(0, index - start(of: key)))
  }

  /// The index in ``results`` of the row at a position.
  ///
  /// - Complexity: O(log *m*).
  public func index(of position: SectionPosition) -> Int {
    start(of: key(ofSection: position.section)) + position.row
  }

  /// The position of the object with an id, if it is in the result.
  ///
  /// - Complexity: O(log *m*).
  public func position(id: Element.ID) -> SectionPosition? {
    results.firstIndex(id: id).map { position(at: $0) }
  }

  /// The key of the row at an index in ``results``.
  func key(at index: Int) -> Key {
    let row = results.window.row(at: index)
    return source.accessor.read(
      results.state.tables[results.window.table].existing(row), results.state.context)
  }

  /// Whether two keys belong to one section.
  func isSame(_ lhs: Key, _ rhs: Key) -> Bool { source.rule.compare(lhs, rhs) == 0 }

  /// The index in ``results`` of the first row of a key.
  func start(of key: Key) -> Int {
    let (state, window) = (results.state, results.window)
    return window.tree.partitionPoint(first: source.rule.abbreviate(key)) { row in
      let object = state.tables[window.table].existing(window.row(row))
      return source.rule.compare(source.accessor.read(object, state.context), key) < 0
    }
  }
}

extension SectionedResults: CustomStringConvertible {
  /// The number of rows and sections, and the version.
  public var description: String {
    "\(results.count) \(Element.self) in \(count) sections at version \(version)"
  }
}
