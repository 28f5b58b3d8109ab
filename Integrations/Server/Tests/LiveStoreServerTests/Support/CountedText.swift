import LiveStore
import LiveStoreServer
import Synchronization

/// A text that counts how often it is encoded, and may have no JSON form.
struct CountedText: Encodable, Equatable, Sendable {
  var text: String
  var hasForm = true
  let count: EncodingCount

  static func == (left: Self, right: Self) -> Bool {
    left.text == right.text && left.hasForm == right.hasForm
  }

  func encode(to encoder: any Encoder) throws {
    count.add()
    guard hasForm else {
      throw EncodingError.invalidValue(
        text, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "It has no form."))
    }
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// How often values were encoded.
final class EncodingCount: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .sequentiallyConsistent) }

  func add() { number.add(1, ordering: .sequentiallyConsistent) }
}

struct Note: Entity {
  let id: Int
  var text: CountedText
  static let schema = Schema<Note> { \.text }
}

/// A store with notes, which count together how often they are encoded.
func makeNotes(_ ids: ClosedRange<Int>) throws -> (store: Store, count: EncodingCount) {
  let (store, count) = (try Store(Note.self), EncodingCount())
  try store.write { tx in
    for id in ids { try tx.insert(Note(id: id, text: CountedText(text: "Note \(id)", count: count))) }
  }
  return (store, count)
}

extension TestServer {
  /// Runs a server that exposes notes.
  static func with(
    notes store: Store, limits: StreamLimits = .ofTests, _ body: @Sendable (TestServer) async throws -> Void
  ) async throws {
    let server = try StoreServer(
      store, configuration: ServerConfiguration(limits: limits), logger: .silent
    ) {
      Expose(Note.self, fields: [\.text])
    }
    try await with(server, body)
  }
}
