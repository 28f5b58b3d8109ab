import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// A file of several hundred objects, and what they are.
///
/// It is written in several sessions, with deletions between.
struct DamagedFile: Sendable {
  let model: Model
  let bytes: [UInt8]
  let key: SymmetricKey?

  init(_ seed: UInt64, key: SymmetricKey? = nil) async throws {
    self.key = key
    var random = SplitMix64(seed: seed)
    let folder = try Folder()
    var model = Model()
    for session in 0..<3 {
      let file = try await Naming.all.open(at: folder.file, .init(key: key))
      let next = Self.objects(session, &random)
      let deletion = session * 90 - 60
      try await file.write { tx in
        try tx.insert(contentsOf: next.teams)
        try tx.insert(contentsOf: next.members)
        try tx.insert(contentsOf: next.jobs)
        try tx.insert(contentsOf: next.groups)
        try tx.insert(contentsOf: next.counts)
      }
      try await file.write { tx in
        try tx.delete(Job.where { $0.id >= deletion && $0.id < deletion + 50 })
        try tx.delete(Count.where { $0.id >= deletion && $0.id < deletion + 80 })
        try tx.update(Group.where { $0.order == 3 }) { $0.rowid = "shorter" }
      }
      model = Model(of: file.store.snapshot(), .all)
      try await file.close()
    }
    self.model = model
    bytes = [UInt8](try Data(contentsOf: folder.file))
  }

  private static func objects(_ session: Int, _ random: inout SplitMix64) -> Model {
    var model = Model()
    func text(_ random: inout SplitMix64, _ large: Int) -> String {
      let count = random.chance(1, in: large) ? random.int(3_000...15_000) : random.int(0...120)
      return String((0..<count).map { _ in random.pick(Array("abcdefgh éß\0")) })
    }
    for number in 0..<10 {
      let motto = random.chance(1, in: 2) ? nil : text(&random, 20)
      model.teams.append(
        Team(id: "team \(session * 10 + number)", name: "\(session) \(number)", motto: motto))
    }
    for number in 0..<60 {
      let bytes = (random.next(), random.next())
      let id = withUnsafeBytes(of: bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      var member = Member(id: id, handle: "\(session), \(number)")
      if random.chance(1, in: 4) { member.team = Ref(random.pick(model.teams).id) }
      if let boss = model.members.randomElement(using: &random), random.chance(1, in: 5) {
        member.boss = Ref(boss.id)
      }
      if let friend = model.members.randomElement(using: &random), random.chance(1, in: 5) {
        member.friends = [Ref(friend.id), Ref(id)]
      }
      member.joined = Date(timeIntervalSinceReferenceDate: Double(random.int(0...900_000_000)) / 4)
      model.members.append(member)
    }
    for number in 0..<90 {
      var job = Job(id: session * 90 + number, text: text(&random, 30))
      if random.chance(1, in: 4) { job.owner = Ref(random.pick(model.members).id) }
      if random.chance(1, in: 8) { job.teams["of"] = Ref(random.pick(model.teams).id) }
      if random.chance(1, in: 6) { job.data = Data((0..<random.int(0...900)).map { UInt8($0 & 255) }) }
      model.jobs.append(job)
    }
    for number in 0..<60 {
      model.groups.append(
        Group(
          id: random.int(0...1_000) * 1_000 + session * 100 + number, order: random.int(0...9),
          rowid: text(&random, 25)))
    }
    for number in 0..<300 {
      model.counts.append(Count(id: session * 300 + number, value: random.int(-9...9)))
    }
    model.counts.shuffle(using: &random)
    return model
  }
}

extension Model {
  /// How many objects it has.
  var count: Int { teams.count + members.count + jobs.count + groups.count + counts.count }

  /// The tables that have fewer objects than those of another model, or fewer links.
  ///
  /// Throws unless all objects are of that model, in its order, and as they are there but for links to what is missing.
  func missing(from model: Model, _ place: String) throws -> Set<String> {
    let rest = model.linked(within: self)
    var tables: Set<String> = []
    try Self.compare(teams, model.teams, rest.teams, place, &tables)
    try Self.compare(members, model.members, rest.members, place, &tables)
    try Self.compare(jobs, model.jobs, rest.jobs, place, &tables)
    try Self.compare(groups, model.groups, rest.groups, place, &tables)
    try Self.compare(counts, model.counts, rest.counts, place, &tables)
    return tables
  }

  /// The objects, without the links to those that another model does not have, if these may be without.
  func linked(within model: Model) -> Model {
    let (teamIDs, memberIDs) = (Set(model.teams.map(\.id)), Set(model.members.map(\.id)))
    func isGone(_ ref: Ref<Member>) -> Bool { !memberIDs.contains(ref.id) }
    var rest = self
    for index in rest.teams.indices {
      rest.teams[index].lead = teams[index].lead.flatMap { isGone($0) ? nil : $0 }
    }
    for index in rest.members.indices {
      rest.members[index].boss = members[index].boss.flatMap { isGone($0) ? nil : $0 }
      rest.members[index].friends.removeAll(where: isGone)
    }
    for index in rest.jobs.indices {
      rest.jobs[index].owner = jobs[index].owner.flatMap { isGone($0) ? nil : $0 }
      rest.jobs[index].reviewers = jobs[index].reviewers.removing(where: isGone)
      rest.jobs[index].teams = jobs[index].teams.removing { !teamIDs.contains($0.id) }
    }
    return rest
  }

  private static func compare<Element: Entity & Equatable>(
    _ found: [Element], _ original: [Element], _ all: [Element], _ place: String, _ tables: inout Set<String>
  ) throws {
    if found.count < all.count { tables.insert("\(Element.self)") }
    var rest = all[...]
    for object in found {
      guard let index = rest.firstIndex(where: { $0.id == object.id }) else {
        let isThere = all.contains { $0.id == object.id }
        let ids = "\(found.prefix(8).map(\.id)), at first \(all.prefix(8).map(\.id))"
        throw Mismatch(
          """
          \(place): \(Element.self) \(object.id) is \(isThere ? "not in its place" : "not of the original"); \
          \(found.count) of \(all.count): \(ids)
          """)
      }
      try require(
        rest[index] == object,
        "\(place): \("\(object)".prefix(300)) was \("\(rest[index])".prefix(300))")
      if original[index] != object { tables.insert("\(Element.self)") }
      rest = rest[(index + 1)...]
    }
  }
}
