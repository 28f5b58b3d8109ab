package import LiveStore

extension WatchOptions {
  /// Where the identity of an object stands.
  package var objectKey: ObjectKey { isKeyless || every != nil ? .line : key ?? envelope?.key ?? .standard }

  /// How many lines make a transaction; of a stream, each step is one.
  package var lineBatch: Int? { batch ?? (envelope == .state ? 1 : nil) }

  /// The files that are read, standard input if none is named.
  package var inputFiles: [String] { files.isEmpty ? ["-"] : files }

  /// How the lines of the input are read.
  package var inputRules: InputRules {
    var rules = InputRules(key: objectKey, envelope: envelope, deletion: deletion, end: end)
    rules.format = format
    rules.type = type
    rules.encoding = encoding
    rules.rows = rows
    rules.countsLines = batch != nil && envelope != .state
    rules.filter = filterOnReading
    return rules
  }

  /// The filter, if it is evaluated as objects are read, so that of others only the id is kept. A plan is explained with
  /// the whole objects.
  private var filterOnReading: FilterSyntax? {
    explains && groupMembers == nil || needsObjects ? nil : filter
  }

  /// Whether lines may leave out what an object has, so that all objects are kept as a whole; but windows of time are
  /// about lines.
  private var needsObjects: Bool { envelope == .debezium && every == nil }

  /// The objects that meet the filter: those that are there as a whole, if it is evaluated as they are read. A closure
  /// equals only itself, so queries are equal only as copies.
  private var selected: Query<Document> {
    guard let filter else { return Document.all }
    return filterOnReading == nil ? Document.all.where(filter) : Document.filter { $0.hasObject }
  }

  /// Whether groups are watched instead of the objects.
  package var isGrouped: Bool {
    !groupPaths.isEmpty || countsGroups || !groupTotals.isEmpty || every != nil
  }

  /// How objects are grouped; nil if they are not.
  package var groups: GroupOptions? {
    guard isGrouped else { return nil }
    var groups = GroupOptions(paths: groupPaths)
    groups.totals = groupTotals
    groups.hasCount = countsGroups || groupTotals.isEmpty || every != nil
    groups.every = every
    groups.keptWindows = once ? nil : 1_000
    groups.showsTrend = every != nil && showsChart
    return groups
  }

  /// How groups are totalled without a store of their objects; nil if they are not grouped, or if which of them are
  /// depends on others.
  package var groupMembers: GroupMembers.Rules? {
    !isGrouped || distinct != nil || needsObjects
      ? nil : GroupMembers.Rules(filter: filter, areKept: objectKey != .line || expiry != nil)
  }

  /// The objects that are grouped.
  package var groupedQuery: Query<Document> {
    distinct.map { selected.distinct(by: \Row<Document>.[path: $0.steps]) } ?? selected
  }

  /// The groups that are watched, each an object under the value that its objects share: in the order of those values
  /// if no other is asked for.
  package var groupQuery: Query<Document> {
    let byValue = shownKey.map { SortKey(path: KeyPathText(steps: $0), isDescending: false) }
    let query = (sortKeys + byValue).reduce(Document.all) { query, key in
      // The names of a group's values have points of their own.
      query.sorted(byPath: [key.path.title], key.isDescending ? .descending : .ascending)
    }
    return limit.map { query.limit($0) } ?? query
  }

  /// What is watched.
  package var query: Query<Document> {
    var query = selected
    for key in sortKeys {
      query = query.sorted(byPath: key.path.steps, key.isDescending ? .descending : .ascending)
    }
    // Objects stand as in their stream, where it says how.
    if envelope == .state { query = query.sorted(byPath: Document.placePath) }
    if let distinct { query = query.distinct(by: \Row<Document>.[path: distinct.steps]) }
    return limit.map { query.limit($0) } ?? query
  }

  /// The paths that the filter, the order and the columns name, each once.
  package var namedPaths: [NamedPath] {
    let filters = [filter, deletion, end].compactMap(\.self)
    var kinds: [[String]: Set<ValueKind>] = [:]
    for filter in filters { filter.addComparedKinds(to: &kinds) }
    var paths = filters.flatMap(\.keyPaths).map { path in
      let kinds = kinds[path.steps] ?? []
      return NamedPath(
        steps: path.steps, isBareWord: path.isBareWord, isCompared: true,
        kind: kinds.count == 1 ? kinds.first : nil)
    }
    // Orders, columns and changes name values of groups.
    if isGrouped {
      let totals = groupTotals.filter { $0.kind != .distinctCount }
      paths += totals.map { NamedPath(steps: $0.path.steps, isCompared: true, total: $0.kind.isOfNumbers) }
    } else {
      paths += sortKeys.map { NamedPath(steps: $0.path.steps, isCompared: true) }
      // The objects before and after a change.
      let lines = (changes?.keyPaths.map(\.steps) ?? []) + (template?.changePaths ?? [])
      let changed = lines.filter { ["old", "new"].contains($0[0]) }.map { Array($0.dropFirst()) }
      paths += ((template?.paths ?? []) + changed).filter { !$0.isEmpty }.map { NamedPath(steps: $0) }
    }
    let others =
      isGrouped
      ? (groupPaths + groupTotals.map(\.path) + [every?.path].compactMap(\.self)).map(\.steps)
      : [distinct?.steps].compactMap(\.self) + (columns ?? []).map(\.path)
    paths += others.map { NamedPath(steps: $0) }
    paths += (rows.texts.union(rows.numbers)).map(\.steps).sorted { $0.lexicographicallyPrecedes($1) }.map {
      NamedPath(steps: $0)
    }
    var seen: Set<[String]> = []
    return paths.filter { seen.insert($0.steps).inserted }
  }

  /// The columns; with groups, their names are whole.
  package var shownColumns: [Column]? {
    isGrouped ? columns?.map { Column(path: [KeyPathText(steps: $0.path).title], title: $0.title) } : columns
  }

  /// What is printed.
  var projection: Projection {
    var projection = template.map { Projection(isGrouped ? $0.ofGroups : $0) } ?? Projection(shownColumns)
    projection.changes = changes.map { FilterCheck(Filter($0)) }
    return projection
  }

  /// The paths that identify what is shown.
  package var shownKey: [[String]] {
    guard let groups else { return objectKey.paths.map(\.steps) }
    return (groups.splitsByWindow ? [["window"]] : []) + groupPaths.map { [$0.title] }
  }

  /// What a table draws behind its columns: of the first total that is shown.
  package var chart: TableChart? {
    guard showsChart, let groups else { return nil }
    let totals = groups.titles.dropFirst(groups.paths.count)
    let known = Set(totals.map(ComparedText.init))
    let shown = shownColumns?.lazy.compactMap(\.path.first).first { known.contains(ComparedText($0)) }
    return (shown ?? totals.first).map { TableChart(path: [$0]) }
  }
}
