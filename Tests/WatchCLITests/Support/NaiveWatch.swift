import LiveStore
import TestSupport
import livestore_watch

/// What the tool does, without a store: every result is found again from all documents.
struct NaiveWatch {
  let options: WatchOptions
  /// The documents in order of insertion.
  private var documents: [Document] = []
  private var positions: [JSONValue: Int] = [:]

  init(_ arguments: [String]) throws {
    guard case .watch(let options) = try Invocation(arguments: arguments) else { throw Exit(.usage) }
    self.options = options
  }

  /// Takes a document in; one that equals what is there changes nothing.
  mutating func upsert(_ document: Document) {
    if let position = positions[document.id] {
      if documents[position] != document { documents[position] = document }
    } else {
      positions[document.id] = documents.count
      documents.append(document)
    }
  }

  /// What is watched, in order.
  var result: [Document] {
    let matching = options.filter?.select(documents, \.body) ?? documents
    let sorted = matching.enumerated().sorted { left, right in
      for key in options.sortKeys {
        let (a, b) = (left.element.body[path: key.path.steps], right.element.body[path: key.path.steps])
        if a != b { return key.isDescending ? b < a : a < b }
      }
      return left.offset < right.offset
    }
    return sorted.prefix(options.limit ?? .max).map(\.element)
  }
}
