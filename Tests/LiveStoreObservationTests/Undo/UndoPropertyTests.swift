import LiveStore
import LiveStoreObservation
import Testing

/// Bug: an object to which others had written anything since was not undone at all, also where the step had changed
/// other properties than they.
///
/// Mend: an edit is undone property by property. What the step changed is restored, if it is as the step left it; what
/// others changed stays.
@Suite struct `Undo by property` {
  private let store: Store
  private let stack: UndoStack

  init() throws {
    store = try Store(Owner.self, Label.self, Note.self, Remark.self, Contact.self, Sealed.self, Page.self)
    try store.write { tx in
      try tx.insert(contentsOf: (1...3).map { Owner(id: $0, name: "owner \($0)") })
      try tx.insert(contentsOf: (1...3).map { Label(id: $0, name: "label \($0)") })
      try tx.insert(contentsOf: (1...3).map { Note(id: $0, title: "note \($0)", owner: 1, labels: [1]) })
    }
    stack = UndoStack(store, merging: .zero)
  }

  private func mine(_ body: (inout WriteTransaction) throws -> Void) throws {
    try store.write(origin: "ui", body)
  }

  private func theirs(_ body: (inout WriteTransaction) throws -> Void) throws {
    try store.write(origin: "sync", body)
  }

  private func note(_ id: Int = 1) throws -> Note { try #require(store[Note.self, id]) }

  private func conflicts(_ report: UndoReport?) -> [String] {
    report.map { $0.conflicts.map { "\($0.entity) \($0.id) \($0.reason)" } } ?? ["no step"]
  }

  @Test func `undo restores what the step changed and keeps what others changed since`() throws {
    try mine { tx in try tx.update(Note.self, 1) { $0.title = "mine" } }
    try theirs { tx in
      try tx.update(Note.self, 1) {
        $0.owner = 2
        $0.labels = [3, 2]
      }
    }
    let report = try stack.undo()
    #expect(conflicts(report) == [] && report?.objectCount == 1)
    #expect(try note() == Note(id: 1, title: "note 1", owner: 2, labels: [3, 2]))
    #expect(conflicts(try stack.redo()) == [])
    #expect(try note() == Note(id: 1, title: "mine", owner: 2, labels: [3, 2]))
    #expect(store.breach == nil)
  }

  @Test func `redo repeats what the step changed and keeps what others changed since`() throws {
    try mine { tx in try tx.update(Note.self, 1) { $0.labels = [1, 2] } }
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "theirs" } }
    try stack.undo()
    try theirs { tx in try tx.update(Note.self, 1) { $0.owner = 3 } }
    #expect(conflicts(try stack.redo()) == [])
    #expect(try note() == Note(id: 1, title: "theirs", owner: 3, labels: [1, 2]))
    #expect(conflicts(try stack.undo()) == [])
    #expect(try note() == Note(id: 1, title: "theirs", owner: 3, labels: [1]))
  }

  @Test func `undo leaves an object whole where others changed one of the properties that the step changed`()
    throws
  {
    try mine { tx in
      try tx.update(Note.self, 1) {
        $0.title = "mine"
        $0.owner = 3
      }
    }
    try theirs { tx in try tx.update(Note.self, 1) { $0.owner = 2 } }
    let report = try stack.undo()
    #expect(conflicts(report) == ["Note 1 changed"] && report?.objectCount == 0)
    #expect(try note() == Note(id: 1, title: "mine", owner: 2, labels: [1]))
  }

  @Test func `undo leaves an inserted object that others have edited`() throws {
    try mine { tx in try tx.insert(Note(id: 9, title: "mine")) }
    try theirs { tx in try tx.update(Note.self, 9) { $0.owner = 2 } }
    #expect(conflicts(try stack.undo()) == ["Note 9 changed"])
    #expect(try note(9).owner == 2)
  }

  @Test func `undo of a group keeps other properties that others changed between its commits`() throws {
    stack.beginGroup("Edit")
    try mine { tx in try tx.update(Note.self, 1) { $0.title = "mine" } }
    try theirs { tx in try tx.update(Note.self, 1) { $0.owner = 2 } }
    try mine { tx in try tx.update(Note.self, 1) { $0.labels = [] } }
    stack.endGroup()
    #expect(conflicts(try stack.undo()) == [])
    #expect(try note() == Note(id: 1, title: "note 1", owner: 2, labels: [1]))
    #expect(conflicts(try stack.redo()) == [])
    #expect(try note() == Note(id: 1, title: "mine", owner: 2, labels: []))
  }

  @Test func `undo keeps ignored properties that others wrote and restores those of the step`() throws {
    try mine { tx in
      try tx.update(Note.self, 1) { $0.title = "mine" }
      try tx.update(Note.self, 2) {
        $0.title = "mine"
        $0.scratch = 7
      }
      try tx.update(Note.self, 3) {
        $0.title = "mine"
        $0.scratch = 7
      }
    }
    try theirs { tx in
      try tx.update(Note.self, 1) { $0.scratch = 5 }
      try tx.update(Note.self, 2) { $0.owner = 2 }
      try tx.update(Note.self, 3) { $0.scratch = 5 }
    }
    #expect(conflicts(try stack.undo()) == [])
    #expect(try (1...3).map { try note($0).scratch } == [5, 0, 5])
    #expect(try (1...3).map { try note($0).title } == ["note 1", "note 2", "note 3"])
    #expect(conflicts(try stack.redo()) == [])
    #expect(try (1...3).map { try note($0).scratch } == [5, 7, 5])
    #expect(try (1...3).map { try note($0).title } == ["mine", "mine", "mine"])
  }

  @Test func `undo compares stored properties where listed properties are computed from them`() throws {
    try theirs { tx in try tx.insert(Contact(id: 1, first: "Ann", last: "Lee")) }
    try mine { tx in try tx.update(Contact.self, 1) { $0.first = "Anna" } }
    try theirs { tx in try tx.update(Contact.self, 1) { $0.last = "Liu" } }
    #expect(conflicts(try stack.undo()) == [])
    #expect(store[Contact.self, 1]?.name == "Ann Liu")
    #expect(store.fetch(Contact.where { $0.name == "Ann Liu" }).map(\.id) == [1])
    #expect(store.breach == nil)
  }

  @Test func `undo leaves an edited object if its properties cannot be written one by one`()
    throws
  {
    try theirs { tx in
      try tx.insert(Sealed(id: 1, title: "a", note: ""))
      try tx.insert(Page(id: 1, count: 0, note: ""))
    }
    try mine { tx in
      try tx.update(Sealed(id: 1, title: "mine", note: ""))
      try tx.update(Page.self, 1) { $0.count = 1 }
    }
    try theirs { tx in
      try tx.update(Sealed.self, 1) { $0.note = "theirs" }
      try tx.update(Page.self, 1) { $0.note = "theirs" }
    }
    #expect(conflicts(try stack.undo()).sorted() == ["Page 1 changed", "Sealed 1 changed"])
    #expect(store[Sealed.self, 1] == Sealed(id: 1, title: "mine", note: "theirs"))
    #expect(store[Page.self, 1] == Page(id: 1, count: 1, note: "theirs"))
  }
}

/// An entity with a property that is computed from others.
private struct Contact: Entity, Equatable {
  let id: Int
  var first: String
  var last: String
  var name: String { "\(first) \(last)" }

  static let schema = Schema<Contact> {
    \.first
    \.last
    Property(\.name, "name", .indexed)
  }
}

/// An entity one of whose properties is given once.
private struct Sealed: Entity, Equatable {
  let id: Int
  let title: String
  var note: String

  static let schema = Schema<Sealed> {
    \.title
    \.note
  }
}

private struct Page: DynamicEntity {
  let id: Int
  var count: Int
  var note: String
  static let schema = Schema<Page>(dynamic: { _, _ in .null })
}
