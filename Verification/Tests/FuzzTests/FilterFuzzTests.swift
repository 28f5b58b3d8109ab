import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct `Made up filters` {
  @Test func `made up filters are read or refused in place, and mean the same however they are run`()
    async throws
  {
    let store = try Store(Document.self)
    try await store.write { tx in try tx.upsert(contentsOf: FilterDocuments.all) }
    let snapshot = store.snapshot()
    await Fuzzing.run("filters", inputs: 1_000) { random in
      var maker = FilterMaker(random: random.fork())
      try FilterLaw.check(maker.text(), snapshot)
    }
  }

  @Test func `made up filters follow their documents as they change`() async throws {
    await Fuzzing.run("live filters", inputs: 80) { random in
      var maker = FilterMaker(random: random.fork())
      guard let filter = try? FilterSyntax(parsing: maker.filter(depth: 0)) else { return }
      let store = try Store(Document.self)
      let documents = FilterDocuments.all
      let observer = CheckedObserver<Document>()
      let token = store.observe(Document.all.where(filter)) { observer.receive($0) }
      for _ in 0..<6 {
        try await store.write { tx in
          for document in random.some(of: documents, upTo: 8) {
            let body = random.pick(documents).body
            if random.chance(1, in: 4) {
              try tx.delete(Document.self, document.id)
            } else {
              try tx.upsert(Document(id: document.id, body: body))
            }
          }
        }
        try await store.settled()
        let expected = filter.select(store.snapshot().fetch(Document.all), \.body)
        try require(observer.rows == expected, "\(filter) shows \(observer.rows ?? []), not \(expected)")
      }
      token.invalidate()
      try require(observer.breaches.isEmpty, "\(observer.breaches) of \(filter)")
    }
  }
}

/// What holds for every text that is read as a filter.
enum FilterLaw {
  @discardableResult
  static func check(_ text: String, _ snapshot: Snapshot) throws -> Result<FilterSyntax, FilterSyntaxError> {
    let answer = Result { () throws(FilterSyntaxError) in try FilterSyntax(parsing: text) }
    switch answer {
    case .failure(let error):
      try require(
        (1...text.count + 1).contains(error.column), "\(error) is not within \(text.debugDescription)")
      try Fuzzing.requireLine(error.description)
    case .success(let filter):
      // The canonical form has more parentheses than were written, so it may nest too deep.
      guard let again = try reread(filter) else { return answer }
      try require(
        again.description == filter.description, "\(filter) is read as \(again), of \(text.debugDescription)")
      let expected = filter.select(FilterDocuments.all, \.body)
      let alike = again.select(FilterDocuments.all, \.body)
      try require(expected == alike, "\(filter) means something else than \(text.debugDescription)")
      let found = Array(snapshot.fetch(Document.all.where(filter)))
      try require(found == expected, "\(filter) finds \(found), not \(expected)")
    }
    return answer
  }

  private static func reread(_ filter: FilterSyntax) throws -> FilterSyntax? {
    do throws(FilterSyntaxError) {
      return try FilterSyntax(parsing: filter.description)
    } catch {
      try require(error.message.hasPrefix("more than 64 levels"), "\(filter) is refused: \(error)")
      return nil
    }
  }
}
