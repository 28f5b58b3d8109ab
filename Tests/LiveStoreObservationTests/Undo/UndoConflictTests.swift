import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

/// Others write between a step and its undo.
@Suite struct `Undo conflicts` {
  private let store: Store
  private let stack: UndoStack

  init() throws {
    store = try makeNoteStore()
    try store.write { tx in
      try tx.insert(contentsOf: (1...3).map { Owner(id: $0, name: "owner \($0)") })
      try tx.insert(contentsOf: (1...3).map { Label(id: $0, name: "label \($0)") })
      try tx.insert(contentsOf: (1...4).map { Note(id: $0, title: "note \($0)", owner: 1, labels: [1]) })
      try tx.insert(Remark(id: 1, note: 1))
    }
    stack = UndoStack(store, merging: .zero)
  }

  private func mine(_ body: (inout WriteTransaction) throws -> Void) throws {
    try store.write(origin: "ui", body)
  }

  private func theirs(_ body: (inout WriteTransaction) throws -> Void) throws {
    try store.write(origin: "sync", body)
  }

  /// The conflicts of a report as text, in any order.
  private func conflicts(_ report: UndoReport?) -> Set<String> {
    Set(report.map { $0.conflicts.map { "\($0.entity) \($0.id) \($0.reason)" } } ?? ["no step"])
  }

  @Test func `a property that others changed and changed back counts as unchanged and is undone`() throws {
    try mine { tx in try tx.update(Note.self, 1) { $0.title = "mine" } }
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "theirs" } }
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "mine" } }
    #expect(conflicts(try stack.undo()).isEmpty)
    #expect(store.content.notes.first?.title == "note 1")
  }

  @Test func `undo keeps an object that others have edited since and reverts the rest of the step`() throws {
    try mine { tx in
      try tx.update(Note.self, 1) { $0.title = "mine" }
      try tx.update(Note.self, 2) { $0.title = "mine" }
    }
    try theirs { tx in
      try tx.update(Note.self, 1) {
        $0.title = "theirs"
        $0.owner = 2
      }
    }
    let report = try stack.undo()
    #expect(conflicts(report) == ["Note 1 changed"])
    #expect(report?.objectCount == 1)
    #expect(store.content.notes.prefix(2).map(\.title) == ["theirs", "note 2"])
    #expect(store.content.notes[0].owner == 2)
  }

  @Test func `an edit that another writer reverted is no conflict`() throws {
    try mine { tx in try tx.update(Note.self, 1) { $0.title = "mine" } }
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "theirs" } }
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "mine" } }
    #expect(conflicts(try stack.undo()) == [])
    #expect(store.content.notes[0].title == "note 1")
  }

  @Test func `an edit of ignored properties by another writer is no conflict`() throws {
    try mine { tx in try tx.update(Note.self, 1) { $0.title = "mine" } }
    try theirs { tx in try tx.update(Note.self, 1) { $0.scratch = 5 } }
    #expect(conflicts(try stack.undo()) == [])
  }

  @Test func `undo of a group restores what others wrote within the group`() throws {
    stack.beginGroup("Drag")
    try mine { tx in
      try tx.update(Note.self, 1) { $0.title = "first" }
      try tx.update(Note.self, 2) { $0.title = "first" }
    }
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "theirs" } }
    try mine { tx in try tx.update(Note.self, 1) { $0.title = "second" } }
    stack.endGroup()
    #expect(conflicts(try stack.undo()) == [])
    #expect(store.content.notes.prefix(2).map(\.title) == ["theirs", "note 2"])
  }

  @Test func `undo leaves an object deleted that others have deleted since`() throws {
    try mine { tx in
      try tx.update(Note.self, 2) { $0.title = "mine" }
      try tx.insert(Note(id: 9))
      try tx.insert(Label(id: 9))
    }
    try theirs { tx in
      try tx.delete(Note.self, 2)
      try tx.delete(Note.self, 9)
    }
    #expect(conflicts(try stack.undo()) == ["Note 2 deleted", "Note 9 deleted"])
    #expect(store.content.notes.map(\.id) == [1, 3, 4])
    #expect(store.content.labels.map(\.id) == [1, 2, 3])
  }

  @Test func `undo leaves an object that others deleted and inserted again, even with the same value`() throws
  {
    try mine { tx in try tx.update(Note.self, 2) { $0.title = "mine" } }
    let note = try #require(store.snapshot()[Note.self, 2])
    try theirs { tx in
      try tx.delete(Note.self, 2)
      try tx.insert(note)
    }
    #expect(conflicts(try stack.undo()) == ["Note 2 changed"])
    #expect(store.content.notes.map(\.id) == [1, 3, 4, 2])
    #expect(store.content.notes[3].title == "mine")
  }

  @Test func `undo does not replace an object of others that has the id of a deleted one`() throws {
    try mine { tx in
      try tx.delete(Note.self, 1)
      try tx.delete(Note.self, 2)
    }
    try theirs { tx in try tx.insert(Note(id: 2, title: "theirs")) }
    #expect(conflicts(try stack.undo()) == ["Note 2 idTaken"])
    #expect(store.content.notes.map(\.title) == ["note 1", "note 3", "note 4", "theirs"])
    #expect(store.content.remarks.map(\.id) == [1])
  }

  @Test(arguments: [DeleteRule.nullify, .cascade, .restrict])
  func `a link by others to an inserted object keeps the object, whatever the delete rule`(_ rule: DeleteRule)
    throws
  {
    try mine { tx in
      try tx.insert(Owner(id: 9, name: "mine"))
      try tx.insert(Note(id: 9, title: "mine"))
      try tx.insert(Label(id: 9))
    }
    try theirs { tx in
      switch rule {
      case .nullify: try tx.update(Note.self, 1) { $0.owner = 9 }
      case .cascade: try tx.insert(Remark(id: 9, note: 9))
      case .restrict: try tx.insert(Remark(id: 9, note: 1, reader: 9))
      }
    }
    let report = try stack.undo()
    #expect(conflicts(report) == [rule == .cascade ? "Note 9 linked" : "Owner 9 linked"])
    #expect(report?.objectCount == 2)
    #expect(store.content.owners.contains { $0.id == 9 } == (rule != .cascade))
    #expect(store.content.notes.contains { $0.id == 9 } == (rule == .cascade))
    switch rule {
    case .nullify: #expect(store.content.notes[0].owner == 9)
    case .cascade: #expect(store.content.remarks.last?.note == 9)
    case .restrict: #expect(store.content.remarks.last?.reader == 9)
    }
    #expect(store.breach == nil)
  }

  @Test func `an inserted object that a link keeps also keeps the objects that it links to`() throws {
    try mine { tx in
      try tx.insert(Owner(id: 9, name: "mine"))
      try tx.insert(Owner(id: 8, name: "not linked"))
      try tx.insert(Label(id: 9))
      try tx.insert(Note(id: 9, owner: 9, labels: [9, 1]))
      try tx.insert(Remark(id: 9, note: 9))
    }
    let before = store.content
    try theirs { tx in try tx.insert(Remark(id: 10, note: 1, parent: 9)) }
    let report = try stack.undo()
    #expect(conflicts(report) == ["Owner 9 linked", "Label 9 linked", "Note 9 linked", "Remark 9 linked"])
    #expect(report?.objectCount == 1)
    #expect(store.content.notes == before.notes)
    #expect(store.content.owners.map(\.id) == [1, 2, 3, 9])
    #expect(store.content.remarks.map(\.id) == [1, 9, 10])
    #expect(store.breach == nil)
  }

  @Test func `an inserted object that a link keeps also keeps link targets inserted after it`() throws {
    try mine { tx in
      try tx.insert(contentsOf: (10...14).map { Remark(id: $0, note: 1, parent: Ref(min(14, $0 + 1))) })
    }
    try theirs { tx in try tx.insert(Remark(id: 20, note: 1, parent: 12)) }
    #expect(conflicts(try stack.undo()) == ["Remark 12 linked", "Remark 13 linked", "Remark 14 linked"])
    #expect(store.content.remarks.map(\.id) == [1, 12, 13, 14, 20])
    #expect(store.breach == nil)
  }

  @Test func `an object that others replaced keeps the inserted object that it links to`() throws {
    try mine { tx in
      try tx.insert(Owner(id: 9, name: "mine"))
      try tx.update(Note.self, 1) { $0.owner = 9 }
      try tx.update(Note.self, 2) { $0.owner = 9 }
    }
    let note = try #require(store[Note.self, 1])
    try theirs { tx in
      try tx.delete(Note.self, 1)
      try tx.insert(note)
    }
    let report = try stack.undo()
    #expect(conflicts(report) == ["Note 1 changed", "Owner 9 linked"])
    #expect(store.content.notes.map(\.owner) == [1, 1, 1, 9])
  }

  @Test func `a link by others to a deep reply keeps the chain of replies that leads to it`() throws {
    try mine { tx in
      try tx.insert(
        contentsOf: (10..<2_000).map { Remark(id: $0, note: 1, parent: $0 > 10 ? Ref($0 - 1) : nil) })
    }
    try theirs { tx in try tx.insert(Remark(id: 5_000, note: 1, parent: 1_500)) }
    let report = try stack.undo()
    #expect(report?.objectCount == 499)
    #expect(report?.conflicts.count == 1_491)
    #expect(store.content.remarks.map(\.id) == [1] + (10...1_500) + [5_000])
  }

  @Test func `a link by others to the first reply of a chain keeps that reply alone`() throws {
    try mine { tx in
      try tx.insert(
        contentsOf: (10..<100).map { Remark(id: $0, note: 1, parent: $0 > 10 ? Ref($0 - 1) : nil) })
    }
    try theirs { tx in try tx.insert(Remark(id: 500, note: 1, parent: 10)) }
    #expect(conflicts(try stack.undo()) == ["Remark 10 linked"])
    #expect(store.content.remarks.map(\.id) == [1, 10, 500])
  }

  @Test func `delete rules of what undo deletes do not touch what others wrote`() throws {
    try mine { tx in try tx.insert(Owner(id: 9, name: "mine")) }
    try theirs { tx in try tx.update(Note.self, 3) { $0.owner = 9 } }
    try theirs { tx in try tx.update(Note.self, 3) { $0.owner = nil } }
    let version = store.version
    #expect(conflicts(try stack.undo()) == [])
    #expect(store.version.number == version.number + 1)
    #expect(store.content.notes.map(\.owner) == [1, 1, nil, 1])
  }

  @Test func `an undo of which every edit conflicts makes no commit and removes the step`() throws {
    try mine { tx in try tx.update(Note.self, 1) { $0.title = "mine" } }
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "theirs" } }
    let version = store.version
    let report = try stack.undo()
    #expect(report?.version == nil)
    #expect(report?.objectCount == 0)
    #expect(store.version == version)
    #expect(!stack.canUndo && !stack.canRedo)
    #expect(stack.objectCount == 0)
  }

  @Test func `redo repeats what undo reverted, and no more`() throws {
    try mine { tx in
      try tx.update(Note.self, 1) { $0.title = "mine" }
      try tx.update(Note.self, 2) { $0.title = "mine" }
    }
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "theirs" } }
    try stack.undo()
    // Even if it is again as the step had found it.
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "note 1" } }
    let report = try stack.redo()
    #expect(conflicts(report) == [])
    #expect(report?.objectCount == 1)
    #expect(store.content.notes.prefix(2).map(\.title) == ["note 1", "mine"])
    #expect(try stack.undo()?.objectCount == 1)
    #expect(store.content.notes.prefix(2).map(\.title) == ["note 1", "note 2"])
  }

  @Test func `redo keeps what others wrote between undo and redo`() throws {
    try mine { tx in
      try tx.update(Note.self, 1) { $0.title = "mine" }
      try tx.delete(Owner.self, 1)
      try tx.insert(Label(id: 9))
    }
    try stack.undo()
    try theirs { tx in
      try tx.update(Note.self, 1) { $0.title = "theirs" }
      try tx.insert(Label(id: 9, name: "theirs"))
      try tx.delete(Note.self, 4)
    }
    let report = try stack.redo()
    #expect(conflicts(report) == ["Note 1 changed", "Note 4 deleted", "Label 9 idTaken", "Owner 1 linked"])
    #expect(store.content.notes.map(\.owner) == [1, nil, nil])
    #expect(store.content.notes[0].title == "theirs")
    #expect(store.content.owners.map(\.id) == [1, 2, 3])
    #expect(store.breach == nil)
  }

  @Test func `an undo report describes its conflicts in words`() throws {
    try mine { tx in try tx.update(Note.self, 1) { $0.title = "mine" } }
    try theirs { tx in try tx.update(Note.self, 1) { $0.title = "theirs" } }
    let report = try stack.undo()
    #expect(report?.description == "a step without a name: 0 objects undone; Note 1 was changed since.")
  }
}
