import Foundation
import LiveStore
import SQLiteTestSupport

/// A part of a transaction.
struct Step: Sendable {
  let text: String
  let apply: @Sendable (inout WriteTransaction) throws -> Void
}

/// What a transaction throws to leave nothing.
struct Refused: Error {}

/// Makes transactions, and says what a model is after them.
struct RandomTransactions: Sendable {
  var random: SplitMix64
  let memberIDs: [UUID]
  private static let teamIDs = [
    "", "a", "A", "1", "01", "1.0", "1e3", "é", "e\u{301}", "NULL", "x\0y", "x\0z", "x", " a", "'",
    "\u{1F600}",
  ]
  private static let texts = [
    "", "a", "1", "0.1", "nul \0 inside", "\0", "é", "e\u{301}", "'; DROP TABLE Team; --", "\"[1]\"", "null",
    "\r\n\t\\", "\u{1F600}\u{FEFF}", "-0", "9223372036854775808",
  ]

  init(_ random: SplitMix64) {
    var random = random
    memberIDs = (0..<10).map { _ in
      var bytes = Array(repeating: UInt8(0), count: 16)
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next() >> 7) }
      return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
    self.random = random
  }

  private mutating func text() -> String {
    random.chance(1, in: 12)
      ? String(repeating: random.pick(["x", "é\0", "\u{1F600}"]), count: random.int(100...6_000))
      : random.pick(Self.texts)
  }

  private mutating func number() -> Int {
    random.pick([0, 1, -1, 7, .min, .max, 127, 128, 32_768, -8_388_609, 1 << 47, random.int(-50...50)])
  }

  private mutating func jobID() -> Int {
    random.chance(1, in: 10) ? random.pick([.min, .max, -1]) : random.int(0...14)
  }

  private mutating func memberLink(_ model: Model) -> Ref<Member>? {
    if random.chance(1, in: 3) { return nil }
    if random.chance(1, in: 30) { return Ref(random.pick(memberIDs)) }
    return model.members.isEmpty ? nil : Ref(random.pick(model.members).id)
  }

  private mutating func teamLink(_ model: Model) -> Ref<Team>? {
    if random.chance(1, in: 3) { return nil }
    if random.chance(1, in: 30) { return Ref(random.pick(Self.teamIDs)) }
    return model.teams.isEmpty ? nil : Ref(random.pick(model.teams).id)
  }

  private mutating func team(_ id: String, _ model: Model) -> Team {
    let name = random.chance(1, in: 15) ? random.pick(["1", "a"]) : "name \(random.int(0...9_999))"
    return Team(id: id, name: name, motto: random.chance(1, in: 3) ? nil : text(), lead: memberLink(model))
  }

  private mutating func member(_ id: UUID, _ model: Model) -> Member {
    let handle = random.chance(1, in: 15) ? "same" : "\(random.int(0...99_999))"
    var member = Member(id: id, handle: handle, team: teamLink(model), boss: memberLink(model))
    for _ in 0..<random.int(0...3) {
      if let friend = memberLink(model) { member.friends.append(friend) }
    }
    if random.chance(1, in: 2) {
      member.joined = Date(timeIntervalSinceReferenceDate: Double(random.int(-1_000_000...900_000_000)) / 8)
    }
    if random.chance(1, in: 3) {
      member.address = Address(
        city: text(), lines: [text()], since: random.chance(1, in: 2) ? nil : member.joined)
    }
    return member
  }

  private mutating func job(_ id: Int, _ model: Model) -> Job {
    var job = Job(id: id, text: text(), owner: memberLink(model))
    if random.chance(1, in: 3), let parent = model.jobs.randomElement(using: &random) {
      job.parent = Ref(parent.id)
    }
    for _ in 0..<random.int(0...2) {
      if let member = memberLink(model) { job.reviewers.insert(member) }
      if let team = teamLink(model) { job.teams[random.pick(["", "a", "é", "b\0"])] = team }
    }
    if random.chance(1, in: 3) { job.data = Data((0..<random.int(0...300)).map { UInt8($0 & 255) }) }
    if random.chance(1, in: 2) {
      job.effort = random.pick([0.1, -1.5, 1e300, .leastNonzeroMagnitude, .infinity, Double(1 << 53), 3, 0])
    }
    return job
  }

  private mutating func group(_ id: Int) -> Group {
    Group(id: id, order: number(), rowid: text(), select: random.pick([nil, [:], ["a": 1, "": .min]]))
  }

  /// A transaction, and the model after it. It need not be valid.
  mutating func transaction(_ model: inout Model, _ naming: Naming) -> [Step] {
    (0..<random.pick([0, 1, 1, 1, 2, 3, 6])).flatMap { _ in steps(&model, naming) }
  }

  private mutating func steps(_ model: inout Model, _ naming: Naming) -> [Step] {
    // Where jobs are not named, the links that they hold are unknown: nothing they might lead to is deleted.
    let choices: [Int] = (naming.hasLinked ? [0, 0, 1, 1] : []) + (naming.hasJobs ? [2, 2, 4] : [])
    let others: [Int] = (naming.hasGroups ? [3] : []) + (naming.hasCounts ? [5, 5] : [])
    switch random.pick(choices + others) {
    case 0:
      let id = random.pick(Self.teamIDs)
      let (first, second) = (team(id, model), team(id, model))
      return edit(first, second, \.teams, canDelete: naming.hasJobs, &model) { $0.deleteTeam(id) }
    case 1:
      let id = random.pick(memberIDs)
      let (first, second) = (member(id, model), member(id, model))
      return edit(first, second, \.members, canDelete: naming.hasJobs, &model) { $0.deleteMember(id) }
    case 2:
      let id = jobID()
      let (first, second) = (job(id, model), job(id, model))
      return edit(first, second, \.jobs, &model) { $0.deleteJob(id) }
    case 3:
      let id = random.chance(1, in: 8) ? number() : random.int(0...9)
      let (first, second) = (group(id), group(id))
      return edit(first, second, \.groups, &model) { $0.groups.removeAll { $0.id == id } }
    case 4: return clear(&model, naming)
    default:
      if random.chance(1, in: 6) { return bulk(&model) }
      let id = random.int(0...30)
      let (first, second) = (Count(id: id, value: number()), Count(id: id, value: number()))
      return edit(first, second, \.counts, &model) { $0.counts.removeAll { $0.id == id } }
    }
  }

  /// Everything of the store or of an entity goes; rarely.
  private mutating func clear(_ model: inout Model, _ naming: Naming) -> [Step] {
    switch random.int(0...11) {
    case 0:
      model = Model(
        groups: naming.hasGroups ? [] : model.groups, counts: naming.hasCounts ? [] : model.counts)
      return [Step(text: "deleteAll") { tx in try tx.deleteAll() }]
    case 1:
      model.jobs = []
      return [Step(text: "deleteAll Job") { tx in try tx.deleteAll(Job.self) }]
    case 2:
      for team in model.teams { model.deleteTeam(team.id) }
      return [Step(text: "deleteAll Team") { tx in try tx.deleteAll(Team.self) }]
    default: return []
    }
  }

  /// Many small objects at once, or away.
  private mutating func bulk(_ model: inout Model) -> [Step] {
    let (first, number) = (random.int(0...400), random.int(1...700))
    if random.chance(1, in: 2) {
      let last = first + number
      model.counts.removeAll { $0.id >= first && $0.id < last }
      return [
        Step(text: "delete Count \(first)..<\(last)") { tx in
          try tx.delete(Count.where { $0.id >= first && $0.id < last })
        }
      ]
    }
    let objects = (first..<first + number).map { Count(id: $0, value: random.int(-5...5)) }
    for object in objects { model.upsert(object, in: \.counts) }
    return [
      Step(text: "upsert Count \(first)..<\(first + number)") { tx in try tx.upsert(contentsOf: objects) }
    ]
  }

  private mutating func edit<Element: Entity & Equatable>(
    _ first: Element, _ second: Element, _ path: WritableKeyPath<Model, [Element]>, canDelete: Bool = true,
    _ model: inout Model, delete: (inout Model) -> Void
  ) -> [Step] {
    let name = "\(Element.self) \(String(reflecting: first.id))"
    let deletion = Step(text: "delete \(name)") { tx in
      try require(try tx.delete(Element.self, first.id), "\(name) cannot be deleted")
    }
    let insertion = Step(text: "insert \(name)") { tx in try tx.insert(first) }
    guard let old = model[keyPath: path].first(where: { $0.id == first.id }) else {
      switch random.int(0...(canDelete ? 6 : 4)) {
      case 0...1:
        model.upsert(first, in: path)
        return [Step(text: "upsert new \(name)") { tx in try tx.upsert(first) }]
      case 5:
        model.upsert(first, in: path)
        delete(&model)
        return [insertion, deletion]
      case 6:
        return [
          Step(text: "delete missing \(name)") { tx in
            try require(!tx.delete(Element.self, first.id), "\(name) was there")
          }
        ]
      default:
        model.upsert(first, in: path)
        return [insertion]
      }
    }
    switch random.int(0...(canDelete ? 9 : 4)) {
    case 0...1:
      model.upsert(first, in: path)
      return [Step(text: "upsert \(name)") { tx in try tx.upsert(first) }]
    case 2:
      model.upsert(first, in: path)
      return [Step(text: "update \(name)") { tx in try tx.update(Element.self, first.id) { $0 = first } }]
    case 3:
      return [
        Step(text: "update \(name) and back") { tx in
          try tx.update(second)
          try tx.update(old)
        }
      ]
    case 4:
      return [
        Step(text: "insert twice \(name)") { tx in
          do { try tx.insert(first) } catch { return }
          throw Mismatch("\(name) was inserted twice")
        }
      ]
    case 5...6:
      delete(&model)
      return [deletion]
    case 7:
      delete(&model)
      model.upsert(old, in: path)
      return [deletion, Step(text: "insert the same \(name)") { tx in try tx.insert(old) }]
    default:
      delete(&model)
      model.upsert(first, in: path)
      return [deletion, insertion]
    }
  }
}
