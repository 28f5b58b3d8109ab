import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// What a store should hold: for each entity its objects in insertion order.
struct Model: Equatable, Sendable {
  var teams: [Team] = []
  var members: [Member] = []
  var jobs: [Job] = []
  var groups: [Group] = []
  var counts: [Count] = []

  /// Whether a transaction may end like this: unique properties, and links that lead somewhere.
  var isValid: Bool {
    let (teamIDs, memberIDs) = (Set(teams.map(\.id)), Set(members.map(\.id)))
    let jobIDs = Set(jobs.map(\.id))
    func leads(_ member: Ref<Member>?) -> Bool { member.map { memberIDs.contains($0.id) } ?? true }
    func leads(_ team: Ref<Team>?) -> Bool { team.map { teamIDs.contains($0.id) } ?? true }
    return Set(teams.map(\.name)).count == teams.count
      && Set(members.map(\.handle)).count == members.count
      && teams.allSatisfy { leads($0.lead) }
      && members.allSatisfy { leads($0.team) && leads($0.boss) && $0.friends.allSatisfy { leads($0) } }
      && jobs.allSatisfy { job in
        leads(job.owner) && (job.parent.map { jobIDs.contains($0.id) } ?? true)
          && job.reviewers.allSatisfy { leads($0) } && job.teams.values.allSatisfy { leads($0) }
      }
  }

  mutating func upsert<Element: Entity>(_ object: Element, in path: WritableKeyPath<Model, [Element]>) {
    if let index = self[keyPath: path].firstIndex(where: { $0.id == object.id }) {
      self[keyPath: path][index] = object
    } else {
      self[keyPath: path].append(object)
    }
  }

  mutating func deleteTeam(_ id: String) {
    teams.removeAll { $0.id == id }
    for index in jobs.indices { jobs[index].teams = jobs[index].teams.removing { $0.id == id } }
    for member in members where member.team?.id == id { deleteMember(member.id) }
  }

  mutating func deleteMember(_ id: UUID) {
    members.removeAll { $0.id == id }
    for index in teams.indices where teams[index].lead?.id == id { teams[index].lead = nil }
    for index in members.indices {
      if members[index].boss?.id == id { members[index].boss = nil }
      members[index].friends.remove(Ref(id))
    }
    for index in jobs.indices {
      if jobs[index].owner?.id == id { jobs[index].owner = nil }
      jobs[index].reviewers.remove(Ref(id))
    }
  }

  mutating func deleteJob(_ id: Int) {
    jobs.removeAll { $0.id == id }
    for job in jobs where job.parent?.id == id { deleteJob(job.id) }
  }
}

/// Which entities are named when a file is opened. A set is closed under links.
enum Naming: String, CaseIterable, Sendable {
  case all, reversed, linked, withoutJobs, small

  var hasLinked: Bool { self != .small }
  var hasJobs: Bool { self != .small && self != .withoutJobs }
  var hasGroups: Bool { self != .linked }
  var hasCounts: Bool { self != .linked && self != .withoutJobs }

  func open(at url: URL, _ options: StoreFile.Options = .init()) async throws -> StoreFile {
    switch self {
    case .all:
      try await StoreFile.open(
        at: url, Team.self, Member.self, Job.self, Group.self, Count.self, options: options)
    case .reversed:
      try await StoreFile.open(
        at: url, Count.self, Group.self, Job.self, Member.self, Team.self, options: options)
    case .linked:
      try await StoreFile.open(at: url, Team.self, Member.self, Job.self, options: options)
    case .withoutJobs:
      try await StoreFile.open(at: url, Member.self, Group.self, Team.self, options: options)
    case .small: try await StoreFile.open(at: url, Group.self, Count.self, options: options)
    }
  }
}

extension Model {
  /// What a store holds.
  init(of snapshot: Snapshot, _ naming: Naming) {
    if naming.hasLinked {
      teams = Array(snapshot.fetch(Team.all))
      members = Array(snapshot.fetch(Member.all))
    }
    if naming.hasJobs { jobs = Array(snapshot.fetch(Job.all)) }
    if naming.hasGroups { groups = Array(snapshot.fetch(Group.all)) }
    if naming.hasCounts { counts = Array(snapshot.fetch(Count.all)) }
  }

  /// The part of the model that a store with these entities holds.
  func part(_ naming: Naming) -> Model {
    Model(
      teams: naming.hasLinked ? teams : [], members: naming.hasLinked ? members : [],
      jobs: naming.hasJobs ? jobs : [], groups: naming.hasGroups ? groups : [],
      counts: naming.hasCounts ? counts : [])
  }

  /// Throws unless a store holds exactly this model, by every way of asking.
  func check(_ store: Store, _ naming: Naming, _ place: String) throws {
    let snapshot = store.snapshot()
    let part = part(naming)
    try part.checkSame(as: Model(of: snapshot, naming), place)
    try Self.checkIDs(part.teams, snapshot, place)
    try Self.checkIDs(part.members, snapshot, place)
    try Self.checkIDs(part.jobs, snapshot, place)
    try Self.checkIDs(part.groups, snapshot, place)
    try Self.checkIDs(part.counts, snapshot, place)
    try part.checkLinks(snapshot, naming, place)
  }

  /// Throws the first difference to another model.
  func checkSame(as found: Model, _ place: String) throws {
    try Self.checkSame(found.teams, teams, place)
    try Self.checkSame(found.members, members, place)
    try Self.checkSame(found.jobs, jobs, place)
    try Self.checkSame(found.groups, groups, place)
    try Self.checkSame(found.counts, counts, place)
  }

  private static func checkSame<Element: Entity & Equatable>(
    _ found: [Element], _ expected: [Element], _ place: String
  ) throws {
    if found == expected { return }
    let index = zip(found, expected).prefix { $0 == $1 }.count
    func name(_ objects: [Element]) -> String {
      index < objects.count ? String("\(objects[index])".prefix(400)) : "nothing"
    }
    throw Mismatch(
      """
      \(place): \(Element.self) has \(found.count) objects, should have \(expected.count); \
      at \(index) \(name(found)), should be \(name(expected))
      """)
  }

  private static func checkIDs<Element: Entity & Equatable>(
    _ expected: [Element], _ snapshot: Snapshot, _ place: String
  ) throws {
    for object in expected {
      try require(
        snapshot[Element.self, object.id] == object, "\(place): \(Element.self) \(object.id) by its id")
    }
  }

  private func checkLinks(_ snapshot: Snapshot, _ naming: Naming, _ place: String) throws {
    guard naming.hasLinked else { return }
    for team in teams {
      let (reference, name) = (team.lead, team.name)
      try require(
        snapshot[reference] == members.first { $0.id == reference?.id }, "\(place): lead of \(team)")
      let expected = members.filter { $0.team?.id == team.id }
      let back = Array(snapshot.backlinks(to: team, from: \Member.team))
      try require(back == expected, "\(place): members of \(team) by link: \(back)")
      let named = Array(snapshot.fetch(Member.where { $0.team.name == name }))
      try require(named == expected, "\(place): members of \(team) by name: \(named)")
      let owners = Array(snapshot.fetch(Team.where { $0.name == name }))
      try require(owners == [team], "\(place): \(team) by its name: \(owners)")
    }
    for member in members {
      let friends = member.friends.compactMap { friend in members.first { $0.id == friend.id } }
      try require(Array(snapshot[member.friends]) == friends, "\(place): friends of \(member)")
      if naming.hasJobs {
        let jobs = jobs.filter { $0.reviewers.contains(Ref(member.id)) }
        let back = Array(snapshot.backlinks(to: member, from: \Job.reviewers))
        try require(back == jobs, "\(place): jobs reviewed by \(member): \(back)")
      }
    }
    if naming.hasJobs {
      for job in jobs {
        let children = jobs.filter { $0.parent?.id == job.id }
        try require(
          Array(snapshot.backlinks(to: job, from: \Job.parent)) == children, "\(place): children of \(job.id)"
        )
        let expected = job.teams.compactMap { name, team in
          teams.first { $0.id == team.id }.map { (name, $0) }
        }
        try require(
          snapshot[job.teams] == Dictionary(uniqueKeysWithValues: expected), "\(place): teams of \(job.id)")
      }
    }
  }
}
