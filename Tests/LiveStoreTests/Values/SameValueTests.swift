import Foundation
import LiveStore
import TestSupport
import Testing

private struct Person: Entity, Hashable {
  let id: Int
  static let schema = Schema<Person> {}
}

private struct Team: Hashable, Sendable {
  var members = RefSet<Person>()
  var roles = RefMap<Person>()
}

/// Equal whomever it links to.
private struct Party: Equatable, Sendable {
  var guests = RefMap<Person>()
  static func == (_: Party, _: Party) -> Bool { true }
}

private struct Project: Entity {
  let id: Int
  var team = Team()
  var spare: Team?
  var others: [Team] = []
  var party = Party()
  static let schema = Schema<Project> {
    Embedded(\.team) {
      Relation(\.members)
      Relation(\.roles)
    }
    Embedded(\.spare) {
      Relation(\.members)
      Relation(\.roles)
    }
    Embedded(each: \.others) {
      Relation(\.members)
      Relation(\.roles)
    }
    Embedded(\.party) { Relation(\.guests) }
  }
}

/// Equal by its members, as the compiler makes it.
private struct Reading: Hashable, Sendable {
  var label = ""
  var value = 0.0
  var more: [Double] = []
}

private enum Outcome: Equatable, Sendable {
  case nothing
  case value(Double)
  case several(first: Double, rest: [Float])
}

private struct Sample: Entity {
  let id: Int
  var list: [Double] = []
  var set: Set<Double> = []
  var table: [String: Double] = [:]
  var maybe: [Double?]?
  var reading = Reading()
  var readings: [Reading] = []
  var byName: [String: [Reading?]] = [:]
  var outcome = Outcome.nothing
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var dates: [Date] = []
  static let schema = Schema<Sample> {
    \.list
    \.set
    \.table
    \.maybe
    \.reading
    \.readings
    \.byName
    \.outcome
    \.date
    \.dates
  }
}

/// Bug: links in embedded values were compared in the order of their sets, and a NaN in a collection or a nested value
/// made it another. Mend: links are compared as values, and NaN equals itself wherever it is found.
@Suite struct `A value that is written again as it was` {
  private let store: Store

  init() throws { store = try Store(Person.self, Project.self, Sample.self) }

  /// How many versions a write makes.
  private func versions(_ body: (borrowing WriteTransaction) throws -> Void) throws -> UInt64 {
    let before = store.version.number
    try store.write { tx in try body(tx) }
    return store.version.number - before
  }

  @Test func `a value written again makes no version when its sets and maps have another capacity`() throws {
    // Entries that come and go leave a larger capacity, and another order of the same entries.
    func team(with others: Int) -> Team {
      var team = Team()
      for id in 0..<20 + others {
        team.members.insert(Ref(id))
        team.roles["\(id)"] = Ref(id)
      }
      for id in (0..<20 + others).dropFirst(20) {
        team.members.remove(Ref(id))
        team.roles["\(id)"] = nil
      }
      return team
    }
    try store.write { tx in
      for id in 0..<20 { try tx.insert(Person(id: id)) }
      let team = team(with: 0)
      try tx.insert(
        Project(id: 1, team: team, spare: team, others: [team, team], party: Party(guests: team.roles)))
    }
    for others in [64, 200, 1_000] {
      let team = team(with: others)
      let same = Project(
        id: 1, team: team, spare: team, others: [team, team], party: Party(guests: team.roles))
      #expect(try versions { tx in try tx.upsert(same) } == 0, "\(others)")
    }
    // A name that leads elsewhere is another value, whatever `==` says.
    let other = try versions { tx in
      try tx.update(Project.self, 1) {
        $0.party.guests["1"] = Ref(2)
        $0.party.guests["2"] = Ref(1)
      }
    }
    #expect(other == 1)
  }

  private static let samples: [(String, @Sendable (inout Sample) -> Void)] = [
    ("an array", { $0.list = [1, .nan, -0.0].map { $0 } }),
    ("a set", { $0.set = Set([1, .nan, 2].map { $0 }) }),
    ("a dictionary", { $0.table = Dictionary(uniqueKeysWithValues: [("a", .nan), ("b", 1)]) }),
    ("optionals", { $0.maybe = [nil, .nan, 1].map { $0 } }),
    ("a nested struct", { $0.reading = Reading(label: "x", value: .nan, more: [.nan].map { $0 }) }),
    ("an array of structs", { $0.readings = [Reading(label: "y", value: 1, more: [.nan, 2].map { $0 })] }),
    ("arrays in a dictionary", { $0.byName = ["z": [nil, Reading(value: .nan)].map { $0 }] }),
    ("an enumeration", { $0.outcome = .value(.nan) }),
    ("several values of an enumeration", { $0.outcome = .several(first: .nan, rest: [.nan].map { $0 }) }),
    ("a date", { $0.date = Date(timeIntervalSinceReferenceDate: .nan) }),
    ("dates", { $0.dates = [Date(timeIntervalSinceReferenceDate: .nan)].map { $0 } }),
  ]

  @Test(arguments: samples.indices)
  func `a value written again makes no version with a NaN inside, and one when anything else differs`(
    _ index: Int
  ) throws {
    let (name, edit) = Self.samples[index]
    try store.write { tx in
      var sample = Sample(id: 1)
      edit(&sample)
      try tx.insert(sample)
    }
    #expect(try versions { tx in try tx.update(Sample.self, 1) { edit(&$0) } } == 0, "\(name)")
    var same = Sample(id: 1)
    edit(&same)
    #expect(try versions { tx in try tx.upsert(same) } == 0, "\(name)")
    #expect(try versions { tx in try tx.upsert(Sample(id: 1)) } == 1, "\(name)")
    #expect(try versions { tx in try tx.upsert(same) } == 1, "\(name)")
  }

  @Test func `a value is another when a NaN in it is added, removed or moved`() throws {
    try store.write { tx in
      try tx.insert(
        Sample(
          id: 1, list: [1, .nan, 2], set: [.nan, 1], table: ["a": .nan, "b": 1],
          reading: Reading(label: "x", value: .nan, more: [.nan, 1]), outcome: .value(.nan)))
    }
    let edits: [@Sendable (inout Sample) -> Void] = [
      { $0.list = [1, 2, .nan] }, { $0.list = [1, .nan, 3] }, { $0.list = [1, .nan] },
      { $0.set = [.nan, 2] },
      { $0.set = [1] }, { $0.table = ["a": 1, "b": .nan] }, { $0.table = ["a": .nan, "c": 1] },
      { $0.table = ["a": .nan] }, { $0.reading.label = "y" }, { $0.reading.more = [1, .nan] },
      { $0.reading.value = 1 }, { $0.outcome = .nothing }, { $0.outcome = .several(first: .nan, rest: []) },
    ]
    for (index, edit) in edits.enumerated() {
      #expect(try versions { tx in try tx.update(Sample.self, 1) { edit(&$0) } } == 1, "edit \(index)")
    }
  }

  @Test func `a value is the same with a zero of the other sign beside a NaN`() throws {
    try store.write { tx in
      try tx.insert(Sample(id: 1, list: [.nan, 0.0], reading: Reading(value: .nan, more: [0.0])))
    }
    let count = try versions { tx in
      try tx.update(Sample.self, 1) {
        $0.list = [.nan, -0.0]
        $0.reading = Reading(value: .nan, more: [-0.0])
      }
    }
    #expect(count == 0)
  }

  /// Bug: each element of a set was compared with each of the other, under the write lock. Mend: with those of its hash.
  @Test
  func `a set or dictionary of many values with NaN is the same, and another one is not, in linear time`() {
    func readings(_ count: Int, last: String) -> [Reading] {
      (1..<count).map { Reading(label: "\($0)", value: .nan) } + [Reading(label: last, value: .nan)]
    }
    func seconds(_ count: Int) -> Double {
      let (list, same, other) = (
        readings(count, last: "a"), readings(count, last: "a"), readings(count, last: "b")
      )
      func table(_ list: [Reading]) -> [Reading: Int] {
        Dictionary(uniqueKeysWithValues: zip(list, list.indices))
      }
      return processorTime {
        #expect(isSameValue(Set(list), Set(same)))
        #expect(!isSameValue(Set(list), Set(other)))
        #expect(isSameValue(table(list), table(same)))
        #expect(!isSameValue(table(list), table(other)))
      }
    }
    let (few, many) = (seconds(100), seconds(1_600))
    #expect(many < few * 64, "\(few) s, then \(many) s")
  }

  @Test func `a set with NaN of other bits is the same`() {
    let payload = Double(nan: 1, signaling: false)
    let (left, right): (Set<Double>, Set<Double>) = ([.nan, 1, 2], [payload, 2, 1])
    #expect(isSameValue(left, right))
    #expect(!isSameValue(left, [payload, 3, 1]))
  }
}
