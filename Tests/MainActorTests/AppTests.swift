import LiveStore
import LiveStoreObservation
import Observation
import Testing

// Written as an app writes it: everything here belongs to the main actor unless it says otherwise.

nonisolated struct Address: Equatable, Sendable {
  var city: String
  var zip: Int?
}

nonisolated enum Stage: String, Sendable {
  case draft, published
}

struct Note: Entity {
  let id: Int
  var title: String
  var stage = Stage.draft
  var address: Address?
  var likes = 0

  static let schema = Schema<Note> {
    \.title
    \.address
    Property(\.stage, .indexed)
    Property(\.likes, .indexed)
  }
}

@Observable final class NoteListModel {
  let notes: LiveResults<Note>
  private(set) var log: [String] = []
  private var token: NotificationToken?

  init(store: Store) {
    notes = LiveResults(store, Note.where { $0.stage == .published }.sorted(by: \.likes, .descending))
    token = store.observe(Note.all.count) { [weak self] change in
      MainActor.assertIsolated()
      self?.log.append("\(change.value ?? -1) notes")
    }
  }

  func search(_ city: String) { notes.query = Note.where { $0.address.city == city } }
}

@Suite struct AppTests {
  @Test func `a model of the main actor follows the store`() async throws {
    let store = try Store(Note.self)
    let model = NoteListModel(store: store)
    #expect(model.notes.elements.isEmpty && !model.notes.isLoading)
    try await store.write { tx in
      try tx.insert(Note(id: 1, title: "one", stage: .published, likes: 3))
      try tx.insert(Note(id: 2, title: "two", address: Address(city: "Ulm")))
    }
    try await store.settled()
    #expect(model.notes.elements.map(\.id) == [1])
    #expect(model.log.last == "2 notes")
    model.search("Ulm")
    try await store.settled()
    #expect(model.notes.elements.map(\.id) == [2])
  }

  @Test func `a loop on the main actor sees changes, and writes where it runs`() async throws {
    let store = try Store(Note.self)
    var titles: [String] = []
    let written = try await store.write { tx in
      MainActor.assertIsolated()
      try tx.insert(Note(id: 1, title: "first"))
      return titles.count
    }
    #expect(written == 0)
    for await change in store.changes(of: Note.self, 1) {
      titles.append(change.object?.title ?? "-")
      if titles.count == 3 { break }
      try await store.write { tx in try tx.update(Note.self, 1) { $0.title += "!" } }
    }
    #expect(titles == ["first", "first!", "first!!"])
  }

  @Test func `a snapshot is read off the main actor`() async throws {
    let store = try Store(Note.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (0..<10).map { Note(id: $0, title: "\($0)", likes: $0) })
    }
    let snapshot = store.snapshot()
    let sum = await Task.detached { snapshot.fetch(Note.where { $0.likes >= 5 }).reduce(0) { $0 + $1.likes } }
      .value
    #expect(sum == 35)
  }
}
