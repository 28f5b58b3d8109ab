package import LiveStore

extension WatchOptions {
  /// Where the identity of an object stands.
  package var objectKey: ObjectKey { isKeyless ? .line : key ?? envelope?.key ?? .standard }

  /// The files that are read, standard input if none is named.
  package var inputFiles: [String] { files.isEmpty ? ["-"] : files }

  /// How the lines of the input are read.
  package var inputRules: InputRules {
    var rules = InputRules(key: objectKey, envelope: envelope, deletion: deletion, end: end)
    rules.format = format
    rules.filter = filterOnReading
    return rules
  }

  /// The filter, if it is evaluated as objects are read, so that of others only the id is kept. A plan is explained with
  /// the whole objects.
  private var filterOnReading: FilterSyntax? { explains && groupMembers == nil ? nil : filter }

  /// The objects that meet the filter: those that are there as a whole, if it is evaluated as they are read. A closure
  /// equals only itself, so queries are equal only as copies.
  private var selected: Query<Document> {
    guard let filter else { return Document.all }
    return filterOnReading == nil ? Document.all.where(filter) : Document.filter { $0.hasObject }
  }

  /// How objects are grouped; nil if they are not.
  package var groups: GroupOptions? {
    guard let groupPath else { return nil }
    var groups = GroupOptions(path: groupPath)
    groups.sums = groupSums
    groups.hasCount = countsGroups || groupSums.isEmpty
    return groups
  }

  /// How groups are totalled without a store of their objects; nil if they are not grouped, or if which of them are
  /// depends on others.
  package var groupMembers: GroupMembers.Rules? {
    groupPath == nil || distinct != nil ? nil : GroupMembers.Rules(filter: filter, areKept: !isKeyless)
  }

  /// The objects that are grouped.
  package var groupedQuery: Query<Document> {
    distinct.map { selected.distinct(by: \Row<Document>.[path: $0.steps]) } ?? selected
  }

  /// The groups that are watched, each an object under the value that its objects share: in the order of those values
  /// if no other is asked for.
  package var groupQuery: Query<Document> {
    let byValue = SortKey(path: KeyPathText(steps: [groupPath?.description ?? ""]), isDescending: false)
    let query = (sortKeys + [byValue]).reduce(Document.all) { query, key in
      // The names of a group's values have points of their own.
      query.sorted(byPath: [key.path.description], key.isDescending ? .descending : .ascending)
    }
    return limit.map { query.limit($0) } ?? query
  }

  /// What is watched.
  package var query: Query<Document> {
    var query = selected
    for key in sortKeys {
      query = query.sorted(byPath: key.path.steps, key.isDescending ? .descending : .ascending)
    }
    if let distinct { query = query.distinct(by: \Row<Document>.[path: distinct.steps]) }
    return limit.map { query.limit($0) } ?? query
  }

  /// The paths that the filter, the order and the columns name, each once.
  package var namedPaths: [NamedPath] {
    var paths = [filter, deletion, end].flatMap { $0?.keyPaths ?? [] }.map {
      NamedPath(steps: $0.steps, isBareWord: $0.isBareWord)
    }
    if let groupPath {
      // Orders and columns name values of groups.
      paths += ([groupPath] + groupSums).map { NamedPath(steps: $0.steps) }
      return Self.unique(paths)
    }
    paths += sortKeys.map { NamedPath(steps: $0.path.steps, isBareWord: false) }
    if let distinct { paths.append(NamedPath(steps: distinct.steps)) }
    paths += (columns ?? []).map { NamedPath(steps: $0.path) }
    return Self.unique(paths)
  }

  private static func unique(_ paths: [NamedPath]) -> [NamedPath] {
    var seen: Set<[String]> = []
    return paths.filter { seen.insert($0.steps).inserted }
  }

  /// The columns; with groups, their names are whole.
  package var shownColumns: [Column]? {
    groupPath == nil
      ? columns : columns?.map { Column(path: [$0.path.joined(separator: ".")], title: $0.title) }
  }

  /// The paths that identify what is shown.
  package var shownKey: [[String]] {
    groupPath.map { [[$0.description]] } ?? objectKey.paths.map(\.steps)
  }
}
