package import LiveStore

extension WatchOptions {
  /// Where the identity of an object stands.
  package var objectKey: ObjectKey { key ?? envelope?.key ?? .standard }

  /// How the lines of the input are read.
  package var inputRules: InputRules {
    var rules = InputRules(key: objectKey, envelope: envelope, deletion: deletion, end: end)
    rules.format = format
    return rules
  }

  /// What is watched.
  package var query: Query<Document> {
    var query = Document.all
    if let filter { query = query.where(filter) }
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
    paths += sortKeys.map { NamedPath(steps: $0.path.steps, isBareWord: false) }
    if let distinct { paths.append(NamedPath(steps: distinct.steps)) }
    paths += (columns ?? []).map { NamedPath(steps: $0.path) }
    var seen: Set<[String]> = []
    return paths.filter { seen.insert($0.steps).inserted }
  }
}
