import LiveStore
import TestSupport
import Testing

private struct Owner: Entity {
  let id: Int
  static let schema = Schema<Owner> {}
}

private struct NullifyRequired: Entity {
  let id: Int
  var owner: Ref<Owner>
  static let schema = Schema<NullifyRequired> { Relation(\.owner, onDelete: .nullify) }
}

private struct NullifyDemanded: Entity {
  let id: Int
  var owner: Ref<Owner>?
  static let schema = Schema<NullifyDemanded> { Relation(\.owner, onDelete: .nullify, isRequired: true) }
}

private struct ConstantOwner: Entity {
  let id: Int
  let owner: Ref<Owner>?
  static let schema = Schema<ConstantOwner> { Relation(\.owner) }
}

private struct ConstantBare: Entity {
  let id: Int
  let owners: RefList<Owner>
  static let schema = Schema<ConstantBare> { \.owners }
}

private struct ConstantCascade: Entity {
  let id: Int
  let owner: Ref<Owner>?
  let list: RefList<Owner>
  static let schema = Schema<ConstantCascade> {
    Relation(\.owner, onDelete: .cascade)
    Relation(\.list, onDelete: .restrict)
  }
}

private struct CascadeList: Entity {
  let id: Int
  var owners = RefList<Owner>()
  static let schema = Schema<CascadeList> { Relation(\.owners, onDelete: .cascade) }
}

private struct CascadeSet: Entity {
  let id: Int
  var owners: RefSet<Owner>?
  static let schema = Schema<CascadeSet> { Relation(\.owners, "holders", .owned, onDelete: .cascade) }
}

private struct CascadeMap: Entity {
  struct Part: Hashable, Sendable { var owners = RefMap<Owner>() }
  let id: Int
  var parts: [Part] = []
  static let schema = Schema<CascadeMap> {
    Embedded(each: \.parts) { Relation(\.owners, onDelete: .cascade) }
  }
}

private struct NullifyDemandedList: Entity {
  let id: Int
  var owners = RefList<Owner>()
  static let schema = Schema<NullifyDemandedList> {
    Relation(\.owners, onDelete: .nullify, isRequired: true)
  }
}

private struct Nest: Equatable, Sendable {
  var owner: Ref<Owner>
  let second: Ref<Owner>?
}

private struct NullifyNested: Entity {
  let id: Int
  var nest: Nest
  static let schema = Schema<NullifyNested> {
    Embedded(\.nest) { Relation(\.owner, onDelete: .nullify) }
  }
}

private struct NullifyNestedEach: Entity {
  let id: Int
  var nests: [Nest]
  static let schema = Schema<NullifyNestedEach> {
    Embedded(each: \.nests) { Relation(\.owner, onDelete: .nullify) }
  }
}

private struct ConstantNested: Entity {
  let id: Int
  var nest: Nest?
  static let schema = Schema<ConstantNested> { Embedded(\.nest) { Relation(\.second) } }
}

private struct ConstantNest: Entity {
  let id: Int
  let nest: Nest
  static let schema = Schema<ConstantNest> {
    Embedded(\.nest) { Relation(\.second, onDelete: .nullify) }
  }
}

private struct PlainNest: Entity {
  let id: Int
  var nest: Nest
  static let schema = Schema<PlainNest> { \.nest }
}

private struct PlainNests: Entity {
  struct Inner: Equatable, Sendable { var nests: [String: [Nest]?] = [:] }
  let id: Int
  var pair = 0
  var inner = Inner()
  static let schema = Schema<PlainNests> {
    \.pair
    Property(\.inner, "outer")
  }
}

private struct HalfNest: Entity {
  let id: Int
  var nests: [Nest] = []
  static let schema = Schema<HalfNest> { Embedded(each: \.nests) { Relation(\.owner) } }
}

private struct PlainLinks: Entity {
  let id: Int
  var owners: [Ref<Owner>] = []
  static let schema = Schema<PlainLinks> { \.owners }
}

/// Links may be in what is ignored, and in parts that the schema declares, however deep.
private struct DeclaredNests: Entity {
  struct Leaf: Equatable, Sendable {
    var children: [Leaf] = []
    var name = ""
  }
  let id: Int
  var leaf = Leaf()
  var scratch: Nest?
  var nest: Nest?
  static let schema = Schema<DeclaredNests> {
    \.leaf
    Ignored(\.scratch)
    Embedded(\.nest) {
      Relation(\.owner, "first")
      Relation(\.second, onDelete: .cascade)
    }
  }
}

private struct TwiceListed: Entity {
  let id: Int
  var owner: Ref<Owner>?
  static let schema = Schema<TwiceListed> {
    \.owner
    Relation(\.owner)
  }
}

private struct TwiceNested: Entity {
  let id: Int
  var nest: Nest
  static let schema = Schema<TwiceNested> {
    Embedded(\.nest) {
      Relation(\.owner, onDelete: .cascade)
      Relation(\.owner, onDelete: .restrict)
    }
  }
}

private struct NestedAndListed: Entity {
  let id: Int
  var nest: Nest
  static let schema = Schema<NestedAndListed> {
    \.nest
    Embedded(\.nest) { Relation(\.owner) }
  }
}

private struct ComputedUnnamed: Entity {
  let id: Int
  var number: Int?
  var owner: Ref<Owner>? {
    get { number.map { Ref($0) } }
    set { number = newValue?.id }
  }
  static let schema = Schema<ComputedUnnamed> {
    \.number
    Relation(\.owner)
  }
}

private struct ComputedNamed: Entity {
  let id: Int
  var number: Int?
  var owner: Ref<Owner>? {
    get { number.map { Ref($0) } }
    set { number = newValue?.id }
  }
  static let schema = Schema<ComputedNamed> {
    \.number
    Relation(\.owner, "owner")
  }
}

private struct NamedOwner: Entity {
  let id: Int
  static let schema = Schema<NamedOwner> { Inverse("things", of: \NamedThing.owner) }
}

private struct NamedThing: Entity {
  let id: Int
  var owner: Ref<NamedOwner>?
  var other: Ref<Owner>?
  static let schema = Schema<NamedThing> {
    Relation(\.owner, "proprietor")
    Relation(\.other)
  }
}

private struct WrongInverse: Entity {
  let id: Int
  static let schema = Schema<WrongInverse> { Inverse("things", of: \Stray.wrong) }
}

/// It has the property, and leaves it out of its schema.
private struct Stray: Entity {
  let id: Int
  var wrong: Ref<WrongInverse>?
  static let schema = Schema<Stray> { Ignored(\.wrong) }
}

private struct DoubleName: Entity {
  let id: Int
  var things = 0
  static let schema = Schema<DoubleName> {
    \.things
    Inverse("things", of: \DoubleName.next)
    Relation(\.next)
  }
  var next: Ref<DoubleName>?
}

/// A stored property that only an inverse's name mentions.
private struct Hidden: Entity {
  let id: Int
  var next: Ref<Hidden>?
  var others = 0
  static let schema = Schema<Hidden> {
    Relation(\.next)
    Inverse("others", of: \Hidden.next)
  }
}

/// Two entities that name each other's links, which is the usual thing.
private struct Left: Entity {
  let id: Int
  var right: Ref<Right>?
  static let schema = Schema<Left> {
    Relation(\.right)
    Inverse("rights", of: \Right.left)
  }
}

private struct Right: Entity {
  let id: Int
  var left: Ref<Left>?
  static let schema = Schema<Right> {
    Relation(\.left)
    Inverse("lefts", of: \Left.right)
  }
}

@Suite struct `Mistakes in relations` {
  private func expect(
    _ property: String?, says words: String..., sourceLocation: SourceLocation = #_sourceLocation,
    _ make: () throws -> Store
  ) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { _ = try make() }
    #expect(error?.code == StoreError.invalidSchema, sourceLocation: sourceLocation)
    #expect(error?.property == property, sourceLocation: sourceLocation)
    for word in words {
      #expect(
        error?.message.contains(word) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    }
  }

  @Test func `nullify is refused for a required link`() {
    expect("owner", says: "nullify", "NullifyRequired") { try Store(NullifyRequired.self, Owner.self) }
    expect("owner", says: "nullify", "required") { try Store(NullifyDemanded.self, Owner.self) }
    expect("nest.owner", says: "nullify") { try Store(NullifyNested.self, Owner.self) }
    expect("nests.owner", says: "nullify") { try Store(NullifyNestedEach.self, Owner.self) }
  }

  @Test func `cascade over a list, a set or a map is refused, and the alternatives are named`() {
    expect("owners", says: "Relation(\\.owners, .owned)", "delete the CascadeList", "leave onDelete out") {
      try Store(CascadeList.self, Owner.self)
    }
    expect("holders", says: ".owned", "leave onDelete out") { try Store(CascadeSet.self, Owner.self) }
    expect("parts.owners", says: "Relation(\\.owners, .owned)") { try Store(CascadeMap.self, Owner.self) }
    // Nor is it proposed to those who may not nullify.
    let error = #expect(throws: StoreError.self) { try Store(NullifyDemandedList.self, Owner.self) }
    #expect(error?.message.contains("Choose .restrict.") == true)
  }

  @Test func `links that cannot be removed are not nullified`() throws {
    expect("owner", says: "var") { try Store(ConstantOwner.self, Owner.self) }
    expect("owners", says: "var") { try Store(ConstantBare.self, Owner.self) }
    expect("nest.second", says: "var") { try Store(ConstantNested.self, Owner.self) }
    expect("nest.second", says: "var") { try Store(ConstantNest.self, Owner.self) }
    _ = try Store(ConstantCascade.self, Owner.self)
  }

  @Test func `a link target outside the store is named in the error`() {
    expect("owner", says: "Owner", "ConstantCascade") { try Store(ConstantCascade.self) }
  }

  @Test func `the property of a relation is listed once`() {
    expect("owner", says: "twice") { try Store(TwiceListed.self, Owner.self) }
    expect("nest.owner", says: "twice") { try Store(TwiceNested.self, Owner.self) }
    expect("nest", says: "twice") { try Store(NestedAndListed.self, Owner.self) }
  }

  /// Bug: links in nested values were neither checked nor followed.
  ///
  /// Cause: a property whose type is no link was taken for one without links. Mend: the types of its parts are searched.
  @Test func `a link inside a nested value is declared, or the schema is refused and names Embedded`() throws
  {
    expect("nest.owner", says: "PlainNest", "Embedded(\\.nest) { Relation(\\.owner) }") {
      try Store(PlainNest.self, Owner.self)
    }
    expect("outer.nests.owner", says: "Embedded") { try Store(PlainNests.self, Owner.self) }
    expect("nests.second", says: "Embedded(each: \\.nests)") { try Store(HalfNest.self, Owner.self) }
    expect("owners", says: "RefList") { try Store(PlainLinks.self, Owner.self) }
    // Without an object, and without the target's being in the store.
    #expect(throws: StoreError.self) { try Store.validate(PlainNest.self) }
    _ = try Store(DeclaredNests.self, Owner.self)
  }

  @Test func `a computed link needs a name`() throws {
    expect(nil, says: "name") { try Store(ComputedUnnamed.self, Owner.self) }
    let store = try Store(ComputedNamed.self, Owner.self)
    try store.write { tx in
      try tx.insert(Owner(id: 1))
      try tx.insert(ComputedNamed(id: 1, number: 1))
      try tx.delete(Owner.self, 1)
    }
    #expect(store.snapshot()[ComputedNamed.self, 1]?.number == nil)
  }

  @Test func `an inverse belongs to a relation to its entity`() throws {
    _ = try Store(NamedOwner.self, NamedThing.self, Owner.self)
    expect("things", says: "WrongInverse", "Stray") { try Store(WrongInverse.self, Stray.self) }
    expect("things", says: "NamedThing") { try Store(NamedOwner.self) }
    expect("things", says: "two properties") { try Store(DoubleName.self) }
  }

  @Test func `entities may name each other's links`() throws {
    let store = try Store(Left.self, Right.self)
    try store.write { tx in
      try tx.insert(Left(id: 1, right: 2))
      try tx.insert(Right(id: 2, left: 1))
    }
    #expect(store.snapshot().backlinks(to: Right(id: 2), from: \Left.right).map(\.id) == [1])
  }

  @Test func `the name of an inverse lists no stored property`() throws {
    let store = try Store(Hidden.self)
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in try tx.insert(Hidden(id: 1)) }
    }
    #expect(error?.code == StoreError.invalidSchema)
    #expect(error?.property == "others")
  }
}
