package import LiveStore

extension WatchOptions {
  /// What is watched.
  package var query: Query<Document> {
    var query = Document.all
    if let filter { query = query.where(filter) }
    for key in sortKeys {
      query = query.sorted(byPath: key.path.steps, key.isDescending ? .descending : .ascending)
    }
    return limit.map { query.limit($0) } ?? query
  }
}
