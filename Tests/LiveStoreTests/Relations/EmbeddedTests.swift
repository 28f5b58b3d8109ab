import LiveStore
import TestSupport
import Testing

private struct Person: Entity, Hashable {
  let id: Int
  static let schema = Schema<Person> {}
}

private struct Key: Hashable, Sendable {
  var holder: Ref<Person>?
}

private struct Flat: Hashable, Sendable {
  var owner: Ref<Person>?
  var guests = RefList<Person>()
  var keys: [Key] = []
}

private struct Lease: Hashable, Sendable {
  var tenant: Ref<Person>
}

private struct House: Entity, Hashable {
  let id: Int
  var flat = Flat()
  var annex: Flat?
  var flats: [Flat] = []
  var lease: Lease?
  var scratch = 0
  static let schema = Schema<House> {
    Embedded(\.flat) {
      Relation(\.owner)
      Relation(\.guests)
      Embedded(each: \.keys) { Relation(\.holder) }
    }
    Embedded(\.annex) {
      Relation(\.owner, onDelete: .restrict)
      Relation(\.guests, onDelete: .nullify)
      Embedded(each: \.keys) { Relation(\.holder, "keeper") }
    }
    Embedded(each: \.flats) {
      Relation(\.owner)
      Relation(\.guests, .owned)
      Embedded(each: \.keys) { Relation(\.holder) }
    }
    Embedded(\.lease) { Relation(\.tenant) }
    Ignored(\.scratch)
  }
}

private struct Seat: Hashable, Sendable {
  var guest: Ref<Person>?
}

private struct Table: Entity, Hashable {
  let id: Int
  var seats: [Seat] = []
  var head: Seat?
  static let schema = Schema<Table> {
    Embedded(each: \.seats) { Relation(\.guest, isRequired: true) }
    Embedded(\.head) { Relation(\.guest, isRequired: true) }
  }
}

@Suite struct `Links in embedded values` {
  private func makeStore() throws -> Store {
    let store = try Store(House.self, Person.self, Table.self)
    try store.write { tx in
      for id in 1...4 { try tx.insert(Person(id: id)) }
    }
    return store
  }

  @Test func `deletion reaches links at every depth`() throws {
    let store = try makeStore()
    let keys = [Key(holder: 1), Key(), Key(holder: 2), Key(holder: 1)]
    let flat = Flat(owner: 1, guests: [1, 2, 1], keys: keys)
    let left = Flat(owner: nil, guests: [2], keys: [Key(), Key(), Key(holder: 2), Key()])
    try store.write { tx in
      try tx.insert(House(id: 1, flat: flat))
      try tx.insert(House(id: 2, annex: Flat(guests: [1, 2, 1], keys: keys)))
      try tx.insert(House(id: 3, flats: [Flat(owner: 1, keys: keys), Flat(), Flat(owner: 2, guests: [2])]))
      try tx.insert(House(id: 4, flats: [Flat(), Flat(guests: [3, 1])]))
      try tx.insert(House(id: 5, flat: Flat(owner: 2)))
    }
    try store.write { tx in
      try tx.delete(Person.self, 1)
      #expect(tx.fetch(House.all).map(\.id) == [1, 2, 3, 4, 5])
    }
    let snapshot = store.snapshot()
    #expect(snapshot[House.self, 1] == House(id: 1, flat: left))
    #expect(snapshot[House.self, 2]?.annex == Flat(guests: [2], keys: left.keys))
    #expect(
      snapshot[House.self, 3]?.flats == [Flat(keys: left.keys), Flat(), Flat(owner: 2, guests: [2])])
    #expect(snapshot[House.self, 4]?.flats == [Flat(), Flat(guests: [3])])
    #expect(snapshot[House.self, 5]?.flat.owner == 2)
    #expect(try snapshot.breachOfTables() == nil)
    // What lists within embedded values own is deleted with the object that they are in.
    try store.write { tx in _ = try tx.delete(House.self, 4) }
    #expect(store.snapshot().fetch(Person.all).map(\.id) == [2, 4])
  }

  @Test func `errors name the property of an embedded link by its path`() throws {
    let store = try makeStore()
    func error(_ house: House, deleting person: Int? = nil) -> StoreError? {
      #expect(throws: StoreError.self) {
        try store.write { tx in
          try tx.upsert(house)
          if let person { try tx.delete(Person.self, person) }
        }
      }
    }
    let missing = error(House(id: 1, flats: [Flat(), Flat(keys: [Key(holder: 1), Key(holder: 77)])]))
    #expect(missing?.code == StoreError.missingLinkTarget)
    #expect(missing?.property == "flats.keys.holder" && missing?.value == "77" && missing?.id == "1")
    #expect(error(House(id: 1, annex: Flat(keys: [Key(holder: 78)])))?.property == "annex.keys.keeper")
    #expect(error(House(id: 1, lease: Lease(tenant: 79)))?.property == "lease.tenant")
    try store.write { tx in try tx.insert(House(id: 2, annex: Flat(owner: 1), lease: Lease(tenant: 2))) }
    let restricted = #expect(throws: StoreError.self) {
      try store.write { tx in _ = try tx.delete(Person.self, 1) }
    }
    #expect(restricted?.code == StoreError.deleteRestricted && restricted?.property == "annex.owner")
    let required = #expect(throws: StoreError.self) {
      try store.write { tx in _ = try tx.delete(Person.self, 2) }
    }
    #expect(required?.code == StoreError.deleteRestricted && required?.property == "lease.tenant")
    try store.write { tx in
      try tx.delete(Person.self, 1)
      try tx.delete(Person.self, 2)
      try tx.update(House.self, 2) {
        $0.annex?.owner = nil
        $0.lease = nil
      }
    }
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `required links are checked in each nested value`() throws {
    let store = try makeStore()
    // No seats, so no seat without a guest.
    try store.write { tx in try tx.insert(Table(id: 1)) }
    try store.write { tx in try tx.update(Table.self, 1) { $0.seats = [Seat(guest: 1), Seat(guest: 2)] } }
    let each = #expect(throws: StoreError.self) {
      try store.write { tx in
        try tx.update(Table.self, 1) { $0.seats.append(Seat()) }
      }
    }
    #expect(each?.code == StoreError.requiredLinkEmpty && each?.property == "seats.guest")
    let one = #expect(throws: StoreError.self) {
      try store.write { tx in
        try tx.update(Table.self, 1) { $0.head = Seat() }
      }
    }
    #expect(one?.code == StoreError.requiredLinkEmpty && one?.property == "head.guest")
    try store.write { tx in
      try tx.update(Table.self, 1) {
        $0.seats = []
        $0.head = Seat(guest: 3)
      }
    }
    #expect(store.snapshot()[Table.self, 1]?.head?.guest == 3)
  }

  @Test func `an object without a nested value is found by its missing link`() throws {
    let store = try makeStore()
    try store.write { tx in
      for id in 0..<100 {
        try tx.insert(House(id: id, lease: id < 3 ? nil : Lease(tenant: 1)))
      }
    }
    let snapshot = store.snapshot()
    let query = House.where { $0.lease.tenant == nil }
    #expect(snapshot.fetch(query).map(\.id) == [0, 1, 2], "\(query.explain(in: snapshot))")
    let linked = House.where { $0.lease.tenant == 1 }
    #expect(snapshot.fetch(linked).count == 97)
    let owners = House.where { $0.annex.owner == nil && $0.flat.owner == nil }
    #expect(snapshot.fetch(owners).count == 100)
  }

  @Test func `an ignored property beside nested links keeps their index right`() throws {
    let store = try makeStore()
    try store.write { tx in try tx.insert(House(id: 1, flat: Flat(owner: 1, guests: [1, 2]))) }
    try store.write { tx in try tx.update(House.self, 1) { $0.scratch = 5 } }
    try store.write { tx in
      try tx.update(House.self, 1) {
        $0.scratch = 6
        $0.flat.guests = [2, 3]
      }
    }
    #expect(try store.snapshot().breachOfTables() == nil)
    try store.write { tx in _ = try tx.delete(Person.self, 3) }
    #expect(store.snapshot()[House.self, 1] == House(id: 1, flat: Flat(owner: 1, guests: [2]), scratch: 6))
  }
}
