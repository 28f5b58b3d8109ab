import LiveStore
import TestSupport
import Testing

private struct Label: Entity, Hashable {
  let id: Int
  var name = ""
  static let schema = Schema<Label> { \.name }
}

/// A place for a link of each kind; which of them are filled is chosen by number.
private struct Parcel: Entity, Hashable {
  struct Stop: Hashable, Sendable {
    var label: Ref<Label>?
    var labels = RefSet<Label>()
  }

  let id: Int
  var title = ""
  var bound: Ref<Label> = 0
  var one: Ref<Label>?
  var list = RefList<Label>()
  var members = RefSet<Label>()
  var map = RefMap<Label>()
  var maybe: RefList<Label>?
  var stop: Stop?
  var stops: [Stop] = []
  static let schema = Schema<Parcel> {
    \.title
    Relation(\.bound)
    Relation(\.one)
    Relation(\.list)
    Relation(\.members)
    Relation(\.map)
    Relation(\.maybe)
    Embedded(\.stop) {
      Relation(\.label)
      Relation(\.labels)
    }
    Embedded(each: \.stops) {
      Relation(\.label)
      Relation(\.labels)
    }
  }

  static let properties = [
    "bound", "one", "list", "list", "list", "members", "map", "maybe", "stop.label", "stop.labels",
    "stops.label", "stops.labels",
  ]

  /// A parcel with a link in one place.
  init(_ place: Int, to label: Int) {
    id = 1
    let (ref, other): (Ref<Label>, Ref<Label>) = (Ref(label), 1)
    switch place {
    case 0: bound = ref
    case 1: one = ref
    case 2: list = [ref]
    case 3: list = [other, ref, other]
    case 4: list = [other, ref]
    case 5: members = [ref, other]
    case 6: map = ["a": other, "b": ref]
    case 7: maybe = [ref]
    case 8: stop = Stop(label: ref)
    case 9: stop = Stop(labels: [ref])
    case 10: stops = [Stop(), Stop(label: ref)]
    default: stops = [Stop(labels: [other]), Stop(labels: [other, ref])]
    }
  }
}

/// Each of these is one that an optimised build once committed.
@Suite struct `Links that lead nowhere` {
  private func makeStore() throws -> Store {
    let store = try Store(Label.self, Parcel.self)
    try store.write { tx in try tx.insert(contentsOf: [Label(id: 0), Label(id: 1)]) }
    return store
  }

  private static let ways: [(String, @Sendable (borrowing WriteTransaction, Parcel) throws -> Void)] = [
    ("update", { tx, parcel in try tx.update(Parcel.self, 1) { $0 = parcel } }),
    ("upsert", { tx, parcel in try tx.upsert(parcel) }),
    ("update of the whole", { tx, parcel in try tx.update(parcel) }),
    ("merge", { tx, parcel in try tx.upsert(parcel, keeping: \.title) }),
    ("update by query", { tx, parcel in try tx.update(Parcel.all) { $0 = parcel } }),
    (
      "insertion after deletion",
      { tx, parcel in
        try tx.delete(parcel)
        try tx.insert(parcel)
      }
    ),
  ]

  private func expectRefusal(
    _ store: Store, _ place: Int, _ way: String, _ body: (borrowing WriteTransaction) throws -> Void
  ) {
    let before = Array(store.fetch(Parcel.all))
    let error = #expect(throws: StoreError.self, "\(way)") { try store.write { tx in try body(tx) } }
    #expect(error?.code == StoreError.missingLinkTarget, "\(way)")
    #expect(error?.property == Parcel.properties[place] && error?.value == "9", "\(way)")
    #expect(Array(store.fetch(Parcel.all)) == before, "\(way)")
  }

  @Test(arguments: Parcel.properties.indices)
  func `links without a target are refused in every place, however they are written`(place: Int) throws {
    let store = try makeStore()
    expectRefusal(store, place, "insertion") { tx in try tx.insert(Parcel(place, to: 9)) }
    try store.write { tx in try tx.insert(Parcel(place, to: 0)) }
    for (way, write) in Self.ways {
      expectRefusal(store, place, way) { tx in try write(tx, Parcel(place, to: 9)) }
    }
    // From a place without a link, and amid other changes.
    try store.write { tx in try tx.update(Parcel(1, to: 1)) }
    for (way, write) in Self.ways {
      expectRefusal(store, place, "\(way) of others") { tx in
        try tx.update(Label.self, 0) { $0.name = "new" }
        try write(tx, Parcel(place, to: 9))
      }
    }
    #expect(store[Label.self, 0]?.name == "")
    // The same, once the target is there.
    try store.write { tx in
      try tx.update(Parcel(place, to: 9))
      try tx.insert(Label(id: 9))
    }
    #expect(store[Parcel.self, 1] == Parcel(place, to: 9))
  }

  @Test func `a link to any number without an object is refused`() throws {
    let store = try makeStore()
    try store.write { tx in try tx.insert(Parcel(1, to: 0)) }
    for target in 2..<200 {
      let error = #expect(throws: StoreError.self, "\(target)") {
        try store.write { tx in try tx.update(Parcel.self, 1) { $0.one = Ref(target) } }
      }
      #expect(error?.code == StoreError.missingLinkTarget && error?.value == "\(target)")
    }
  }
}
