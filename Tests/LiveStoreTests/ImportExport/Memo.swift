import Foundation
import LiveStore

/// An entity with something of all that matters to JSON: optionals, embedded values, links, what is not coded.
struct Memo: Entity, Codable, Hashable {
  let id: Int
  var title: String
  var stars: Int?
  var due: Date?
  var place: Place?
  var labels: [String: String]?
  var author: Ref<Editor>?
  var slug: String?
  /// Only this side knows it.
  var isUnread = true
  var scratch = 0

  static let schema = Schema<Memo> {
    \.title
    Property(\.stars, .indexed)
    \.due
    \.place
    \.labels
    Relation(\.author)
    Property(\.slug, .unique)
    \.isUnread
    Ignored(\.scratch)
  }

  enum CodingKeys: String, CodingKey {
    case id, title, stars, due, place, labels, author, slug
  }

  struct Place: Codable, Hashable {
    var city: String
    var street: String?
  }

  init(_ id: Int, _ title: String, stars: Int? = nil) {
    (self.id, self.title, self.stars) = (id, title, stars)
  }
}

struct Editor: Entity, Codable, Hashable {
  let id: Int
  var name: String
  static let schema = Schema<Editor> { \.name }
}

/// Chunks of a text, as a network delivers them.
struct Chunks: AsyncSequence {
  let chunks: [[UInt8]]

  /// A text, cut at some positions.
  init(_ text: some Sequence<UInt8>, cutAt positions: [Int] = []) {
    let bytes = Array(text)
    let bounds = [0] + positions + [bytes.count]
    chunks = zip(bounds, bounds.dropFirst()).map { Array(bytes[$0..<$1]) }
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...]) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<[UInt8]>

    mutating func next() async -> [UInt8]? { rest.popFirst() }
  }
}

/// What an import came to: its report or its error, and what the store has then.
struct ImportOutcome: Equatable {
  var report: ImportReport?
  var error: StoreError?
  var notes: [Memo]
  var version: Version

  init(
    _ text: some Sequence<UInt8>, cutAt positions: [Int] = [], mode: ImportMode<Memo> = .insert,
    commit: ImportCommit = .once
  ) async throws {
    let store = try Store(Memo.self, Editor.self)
    do {
      report = try await store.importJSON(
        Memo.self, from: Chunks(text, cutAt: positions), mode: mode, commit: commit)
    } catch let error as StoreError {
      self.error = error
    }
    (notes, version) = (Array(store.fetch(Memo.all)), store.version)
  }
}

extension String {
  var data: Data { Data(utf8) }
}
