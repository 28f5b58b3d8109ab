import Synchronization
import TestSupport
import Testing

import LiveStore

private struct Label: Entity, Hashable {
  let id: Int
  var name = ""
  static let schema = Schema<Label> { \.name }
}

private struct Note: Entity, Hashable {
  let id: Int
  var title = ""
  var label: Ref<Label>?
  var first: Ref<Label>
  var labels = RefList<Label>()
  static let schema = Schema<Note> {
    \.title
    Relation(\.label)
    Relation(\.first)
    Relation(\.labels)
  }
}

/// What is shared by all copies of the object that has it.
private final class Shared: Sendable {}

private struct Holder: Entity {
  let id: Int
  var group = 0
  var shared: Shared
  static let schema = Schema<Holder> {
    \.group
    Ignored(\.shared)
  }
}

private final class Watch: Sendable {
  private let watched = Mutex<[WeakReference]>([])
  struct WeakReference: Sendable { weak let object: Shared? }

  func make() -> Shared {
    let object = Shared()
    watched.withLock { $0.append(WeakReference(object: object)) }
    return object
  }

  var aliveCount: Int { watched.withLock { $0.count { $0.object != nil } } }
}

/// Nothing, of a type that is not known where this is compiled.
@_semantics("optimize.sil.specialize.generic.never")
@inline(never)
private func nothing<Value>(_: Value.Type) -> Value? { nil }

/// Leaves words behind that are not 0, for what is put on the stack after it.
@inline(never)
private func smear() -> UInt64 {
  withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 500) { words in
    words.initialize(repeating: 0x5A5A_5A5A)
    return words.reduce(0, &+)
  }
}

@Suite struct `Object memory` {
  private func makeStore() throws -> Store {
    let store = try Store(Label.self, Note.self)
    try store.write { tx in
      try tx.insert(Label(id: 0))
      try tx.insert(Note(id: 2, label: 0, first: 0, labels: [0]))
    }
    return store
  }

  /// Was committed in optimised builds: the row that was not found passed for one that was, since of a nil pair of a
  /// row and a pointer, made by generic code, only the pointer's word is written, and both words were compared.
  @Test(arguments: 0..<5)
  func `a link that is changed to an object that is not there is refused`(way: Int) throws {
    let store = try makeStore()
    _ = smear()
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in
        switch way {
        case 0: try tx.update(Note.self, 2) { $0.label = 9 }
        case 1: try tx.update(Note.self, 2) { $0.first = 9 }
        case 2: try tx.update(Note.self, 2) { $0.labels = [9] }
        case 3: try tx.upsert(Note(id: 2, label: 9, first: 0, labels: [0]))
        default: try tx.update(Note.self, 2) { $0.labels = [0, 9] }
        }
      }
    }
    #expect(error?.code == StoreError.missingLinkTarget)
    #expect(store.snapshot()[Note.self, 2] == Note(id: 2, label: 0, first: 0, labels: [0]))
  }

  @Test func `a row or an entry that was not found is nil wherever generic code hands it on`() {
    #expect(smear() != 0)
    let isRowNil = nothing(FoundRow.self) == nil
    #expect(smear() != 0)
    let isEntryNil = nothing(TreeEntry.self) == nil
    #expect(isRowNil && isEntryNil)
  }

  /// In optimised builds the array was released before its elements were written, so that these were never released.
  @Test func `an array of results that is not used leaves nothing behind`() async throws {
    let watch = Watch()
    do {
      let store = try Store(Holder.self)
      try await store.write { tx in
        for id in 0..<60 { try tx.insert(Holder(id: id, group: id % 7, shared: watch.make())) }
      }
      let token = store.observe(Holder.all.sectioned(by: \.group)) { change in
        for section in change.sections.map(Array.init) ?? [] { _ = Array(section) }
        if let sections = change.sections {
          _ = Array(sections)
          _ = Array(sections.results)
          #expect(Array(sections.results).count == sections.results.count)
        }
      }
      try await store.settled()
      try await store.write { try $0.update(Holder.all) { $0.group += 1 } }
      try await store.settled()
      token.invalidate()
      #expect(watch.aliveCount == 60)
      store.close()
    }
    // The last event may still be on its way out of its delivery.
    #expect(await isReached { watch.aliveCount == 0 })
  }

  /// Entries were added without an object to what was the table's own tree, so that the memory where the object would
  /// have been was copied and freed as if there were one.
  @Test func `a window over a window that has the whole table keeps no objects of its own`() async throws {
    let store = try Store(Label.self)
    try await store.write { tx in
      for id in 0..<3 { try tx.insert(Label(id: id, name: "a name with memory of its own, \(id)")) }
    }
    // What a condition that comes out as true makes of a query with a window.
    let query = Label.all.limit(1_000).changed { $0.filter = .constant(true) }
    #expect(query.stages.count == 2)
    var iterator = store.changes(of: query).makeAsyncIterator()
    _ = await iterator.next()
    for id in 3..<300 {
      try await store.write { tx in
        try tx.insert(Label(id: id, name: "a name with memory of its own, \(id)"))
        try tx.update(Label.self, id / 2) { $0.name += "!" }
        if id % 3 == 0 { try tx.delete(Label.self, id / 3) }
      }
      guard case .update(let labels, _) = await iterator.next() else {
        Issue.record("no change after the commit that inserted \(id)")
        return
      }
      #expect(Array(labels) == Array(store.snapshot().fetch(query)))
      #expect(!labels.window.tree.layout.holdsObjects)
    }
  }
}
