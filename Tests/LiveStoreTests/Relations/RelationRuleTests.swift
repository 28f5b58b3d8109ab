import LiveStore
import TestSupport
import Testing

private struct Target: Entity, Hashable {
  let id: Int
  static let schema = Schema<Target> {}
}

/// A rule as a type, so that one entity serves all of them.
private protocol Rule: Sendable, Hashable { static var rule: DeleteRule? { get } }
private enum ByDefault: Rule { static var rule: DeleteRule? { nil } }
private enum Nullify: Rule { static var rule: DeleteRule? { .nullify } }
private enum Cascade: Rule { static var rule: DeleteRule? { .cascade } }
private enum Restrict: Rule { static var rule: DeleteRule? { .restrict } }

/// One of each kind of link that can be empty.
private struct Holder<R: Rule>: Entity, Hashable {
  let id: Int
  var one: Ref<Target>?
  var list = RefList<Target>()
  var members = RefSet<Target>()
  var map = RefMap<Target>()
  var maybeList: RefList<Target>?
  static var schema: Schema<Holder> {
    Schema<Holder> {
      Relation(\.one, onDelete: R.rule)
      Relation(\.list, onDelete: R.rule)
      Relation(\.members, onDelete: R.rule)
      Relation(\.map, onDelete: R.rule)
      Relation(\.maybeList, onDelete: R.rule)
    }
  }

  /// One holder for each kind of link to target 1, those with room for more also to target 2.
  static var all: [Holder] {
    [
      Holder(id: 1, one: 1), Holder(id: 2, list: [1, 2, 1]), Holder(id: 3, members: [1, 2]),
      Holder(id: 4, map: ["a": 1, "b": 2, "c": 1]), Holder(id: 5, maybeList: [2, 1]),
    ]
  }
  static var withoutTarget: [Holder] {
    [
      Holder(id: 1), Holder(id: 2, list: [2]), Holder(id: 3, members: [2]), Holder(id: 4, map: ["b": 2]),
      Holder(id: 5, maybeList: [2]),
    ]
  }
  static var properties: [Int: String] { [1: "one", 2: "list", 3: "members", 4: "map", 5: "maybeList"] }
}

/// A link that is never empty.
private struct Bound<R: Rule>: Entity, Hashable {
  let id: Int
  var one: Ref<Target>
  static var schema: Schema<Bound> { Schema<Bound> { Relation(\.one, onDelete: R.rule) } }
}

/// A link that may be empty, alone.
private struct Single: Entity, Hashable {
  let id: Int
  var one: Ref<Target>?
  static let schema = Schema<Single> { Relation(\.one, onDelete: .cascade) }
}

/// The same kinds, listed without a word about links.
private struct Bare: Entity, Hashable {
  let id: Int
  var one: Ref<Target>?
  var bound: Ref<Target>?
  var list = RefList<Target>()
  var members = RefSet<Target>()
  var map = RefMap<Target>()
  static let schema = Schema<Bare> {
    \.one
    Property(\.bound, .indexed)
    \.list
    Property(\.members, "set")
    \.map
  }
}

private struct Demanding: Entity, Hashable {
  let id: Int
  var one: Ref<Target>?
  var list: RefList<Target> = [1]
  static let schema = Schema<Demanding> {
    Relation(\.one, isRequired: true)
    Relation(\.list, isRequired: true)
  }
}

@Suite struct `Delete rules` {
  private func checkNullify<R: Rule>(_: R.Type) throws {
    let store = try Store(Target.self, Holder<R>.self)
    try store.write { tx in
      for id in 1...2 { try tx.insert(Target(id: id)) }
      try tx.insert(contentsOf: Holder<R>.all)
    }
    try store.write { tx in
      expectTrue(try tx.delete(Target.self, 1))
      // At once, not at commit.
      #expect(Array(tx.fetch(Holder<R>.all)) == Holder<R>.withoutTarget)
    }
    let snapshot = store.snapshot()
    #expect(Array(snapshot.fetch(Holder<R>.all)) == Holder<R>.withoutTarget)
    #expect(snapshot.backlinks(to: Target(id: 1), from: \Holder<R>.list).isEmpty)
    #expect(snapshot.backlinks(to: Target(id: 2), from: \Holder<R>.map).map(\.id) == [4])
  }

  @Test func `nullify removes a link of every kind`() throws {
    try checkNullify(Nullify.self)
    try checkNullify(ByDefault.self)
  }

  @Test func `cascade deletes the object that holds a single link, required or not`() throws {
    let store = try Store(Target.self, Single.self, Bound<Cascade>.self)
    try store.write { tx in
      for id in 1...3 { try tx.insert(Target(id: id)) }
      try tx.insert(contentsOf: [Single(id: 1, one: 1), Single(id: 2, one: 2), Single(id: 3)])
      try tx.insert(contentsOf: [Bound<Cascade>(id: 1, one: 1), Bound<Cascade>(id: 2, one: 2)])
    }
    try store.write { tx in
      try tx.delete(Target.self, 1)
      #expect(tx.fetch(Single.all).map(\.id) == [2, 3])
      #expect(tx.fetch(Bound<Cascade>.all).map(\.id) == [2])
    }
    #expect(store.snapshot().fetch(Target.all).map(\.id) == [2, 3])
    // An object that links to others stays.
    try store.write { tx in _ = try tx.delete(Target.self, 3) }
    #expect(store.snapshot().fetch(Single.all).map(\.id) == [2, 3])
    #expect(store.snapshot().fetch(Bound<Cascade>.all).map(\.id) == [2])
  }

  @Test(arguments: 1...5) func `restrict refuses a deletion, naming both objects and the property`(kind: Int)
    throws
  {
    let store = try Store(Target.self, Holder<Restrict>.self)
    try store.write { tx in
      for id in 1...2 { try tx.insert(Target(id: id)) }
      try tx.insert(Holder<Restrict>.all[kind - 1])
    }
    let before = store.snapshot()
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in
        try tx.insert(Target(id: 9))
        try tx.delete(Target.self, 1)
      }
    }
    #expect(error?.code == StoreError.deleteRestricted)
    #expect(error?.entity == "Holder<Restrict>")
    #expect(error?.id == "\(kind)")
    #expect(error?.property == Holder<Restrict>.properties[kind])
    #expect(error?.value == "1")
    #expect(error?.message.contains("Target 1") == true)
    #expect(error?.message.contains("Holder<Restrict> \(kind)") == true)
    #expect(store.version == before.version)
    #expect(store.snapshot().count(Target.all) == 2)
    // With the link removed or the holder deleted, before or after, it may be deleted.
    try store.write { tx in
      try tx.delete(Target.self, 1)
      try tx.delete(Holder<Restrict>.self, kind)
    }
    #expect(store.snapshot().count(Target.all) == 1)
  }

  @Test func `a required reference restricts by default`() throws {
    let store = try Store(Target.self, Bound<ByDefault>.self, Bound<Cascade>.self)
    try store.write { tx in
      try tx.insert(Bound<ByDefault>(id: 5, one: 1))
      try tx.insert(Target(id: 1))
      try tx.insert(Target(id: 2))
    }
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in _ = try tx.delete(Target.self, 1) }
    }
    #expect(error?.code == StoreError.deleteRestricted)
    #expect(error?.property == "one")
    try store.write { tx in
      try tx.delete(Target.self, 1)
      try tx.update(Bound<ByDefault>.self, 5) { $0.one = 2 }
    }
    #expect(store.snapshot()[Bound<ByDefault>.self, 5]?.one == 2)
  }

  @Test func `relations listed without a rule have the defaults of their kind`() throws {
    let store = try Store(Target.self, Bare.self)
    try store.write { tx in
      for id in 1...2 { try tx.insert(Target(id: id)) }
      try tx.insert(Bare(id: 1, one: 1, bound: 1, list: [1, 2], members: [1], map: ["x": 1]))
    }
    try store.write { tx in _ = try tx.delete(Target.self, 1) }
    #expect(store.snapshot()[Bare.self, 1] == Bare(id: 1, list: [2]))
    #expect(store.snapshot().backlinks(to: Target(id: 2), from: \Bare.list).map(\.id) == [1])
  }

  @Test func `a required link left empty is refused at commit`() throws {
    let store = try Store(Target.self, Demanding.self)
    try store.write { tx in
      try tx.insert(Demanding(id: 1))
      try tx.insert(Target(id: 1))
      try tx.update(Demanding.self, 1) { $0.one = 1 }
    }
    for edit in [{ $0.one = nil }, { $0.list = [] }] as [(inout Demanding) -> Void] {
      let error = #expect(throws: StoreError.self) {
        try store.write { tx in try tx.update(Demanding.self, 1, edit) }
      }
      #expect(error?.code == StoreError.requiredLinkEmpty)
      #expect(error?.entity == "Demanding" && error?.id == "1")
      #expect(error?.message.contains("Target") == true)
    }
    let inserted = #expect(throws: StoreError.self) {
      try store.write { tx in try tx.insert(Demanding(id: 2)) }
    }
    #expect(inserted?.property == "one" && inserted?.id == "2")
    let deleted = #expect(throws: StoreError.self) {
      try store.write { tx in _ = try tx.delete(Target.self, 1) }
    }
    #expect(deleted?.code == StoreError.deleteRestricted)
    #expect(store.snapshot()[Demanding.self, 1] == Demanding(id: 1, one: 1))
  }

  @Test func `two relations to one target follow their own rules`() throws {
    let store = try Store(Target.self, Mixed.self)
    try store.write { tx in
      for id in 1...3 { try tx.insert(Target(id: id)) }
      try tx.insert(Mixed(id: 1, soft: 1, hard: 2))
      try tx.insert(Mixed(id: 2, soft: 2, hard: 1))
      try tx.insert(Mixed(id: 3, soft: 1, hard: 1))
      try tx.insert(Mixed(id: 4, soft: 3, strict: 3))
    }
    try store.write { tx in _ = try tx.delete(Target.self, 1) }
    #expect(store.snapshot().fetch(Mixed.all).map(\.id) == [1, 4])
    #expect(store.snapshot()[Mixed.self, 1]?.soft == nil)
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in _ = try tx.delete(Target.self, 3) }
    }
    #expect(error?.property == "strict" && error?.id == "4")
    #expect(store.snapshot()[Mixed.self, 4]?.soft == 3)
  }
}

private struct Mixed: Entity, Hashable {
  let id: Int
  var soft: Ref<Target>?
  var hard: Ref<Target>?
  var strict: Ref<Target>?
  static let schema = Schema<Mixed> {
    Relation(\.soft, onDelete: .nullify)
    Relation(\.hard, onDelete: .cascade)
    Relation(\.strict, onDelete: .restrict)
  }
}
