import LiveStore
import Synchronization
import TestSupport
import Testing

/// An object with an id that says something.
private struct Member: Entity {
  let id: String
  var boss: Ref<Member>?
  var members = RefList<Member>()
  static let schema = Schema<Member> {
    Relation(\.boss)
    Relation(\.members)
  }
}

private struct Guest: Entity {
  let id: Int
  var name = ""
  var friends = RefSet<Guest>()
  var members = RefList<Guest>()
  static let schema = Schema<Guest> {
    Property(\.name, .searchable)
    Relation(\.friends)
    Relation(\.members)
  }
}

private struct Team: Entity, Hashable {
  let id: Int
  var name = ""
  var secret = ""
  var scores: [Int] = []
  var labels: [String] = []
  var meta: JSONValue = .null
  var settings: [String: String] = [:]
  var maps: [[String: String]] = []
  var members = RefList<Team>()
  static let schema = Schema<Team> {
    \.name
    \.secret
    \.scores
    \.labels
    \.meta
    \.settings
    \.maps
    Relation(\.members)
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Limits of filters from outside` {
  private static let paths: Set = ["name", "members", "members.name", "scores"]

  /// Teams that all have all as members.
  private static func store(_ count: Int) throws -> Store {
    let store = try Store(Team.self)
    let members = RefList<Team>(ids: 0..<count)
    try store.write { tx in
      try tx.insert(
        contentsOf: (0..<count).map { Team(id: $0, name: "a", scores: Array(0..<20), members: members) })
    }
    return store
  }

  /// The error of a text within limits, which is the same for all that read texts.
  private func error(
    _ text: String, _ limits: FilterLimits, _ arguments: [(any Sendable)?] = []
  ) -> StoreError? {
    func error(_ read: () throws(StoreError) -> Void) -> StoreError? {
      do {
        try read()
        return nil
      } catch { return error }
    }
    let filter = error { () throws(StoreError) in
      _ = try Team.where(format: text, arguments: arguments, limits: limits)
    }
    let query = error { () throws(StoreError) in
      _ = try Team.query(format: text, arguments: arguments, limits: limits)
    }
    #expect(query?.code == filter?.code && query?.limit == filter?.limit, "\(text)")
    if arguments.isEmpty {
      let plain = error { () throws(StoreError) in _ = try Filter<Team>(format: text, limits: limits) }
      #expect(plain == filter, "\(text)")
    }
    return filter
  }

  @Test func `a text that is too long is refused with the limit`() {
    let limits = FilterLimits(maximumLength: 11)
    #expect(error("name == 'a'", limits) == nil)
    let found = error("name == 'ab'", limits)
    #expect(found?.code == StoreError.filterTooExpensive)
    #expect(found?.limit == .length)
  }

  @Test(arguments: [
    "((name == 'a'))", "NOT (name == 'a')", "id ** 1 ** 1 == 1",
    "SUBQUERY(members, $m, NOT $m.name == 'a').@count > 0",
  ])
  func `a text that is nested too deeply is refused with the limit`(text: String) {
    #expect(error(text, FilterLimits(maximumDepth: 2)) == nil)
    let found = error(text, FilterLimits(maximumDepth: 1))
    #expect(found?.code == StoreError.filterTooExpensive)
    #expect(found?.limit == .depth)
  }

  @Test(arguments: [
    "ANY members.members.name == 'a'", "SUBQUERY(members, $m, ANY $m.members.name == 'a').@count > 0",
  ])
  func `a path of too many steps is refused, also through the variable of a subquery`(text: String) {
    #expect(error(text, FilterLimits(maximumSteps: 3)) == nil)
    let found = error(text, FilterLimits(maximumSteps: 2))
    #expect(found?.code == StoreError.filterTooExpensive)
    #expect(found?.limit == .steps)
  }

  @Test(arguments: [
    "secret == 'a'", "ANY members.secret == 'a'", "SUBQUERY(members, $m, $m.secret == 'a').@count > 0",
    "NOT (name == 'a' OR secret BEGINSWITH 'a')", "id == 1", "SELF == 1", "name == secret",
    "SUBQUERY(members, $m, $m.name == secret).@count > 0", "members.@max.secret == 'a'", "nosuch == 1",
    "SUBQUERY(members, $m, $m TEXT 'a').@count > 0", "ANY meta[*] == 'a'", "SELF TEXT 'a'",
    "ANY members.members.name == 'a'", "length(secret) > 3", "name IN {'a'} AND ifnull(secret, 'b') == 'a'",
    "%K == 'a'",
  ])
  func `only paths that were listed may be named, and the error tells of no others`(text: String) {
    let found = error(text, FilterLimits(paths: Self.paths), ["secret"])
    #expect(found?.code == StoreError.invalidFilter)
    #expect(found?.limit == .paths)
    #expect(found?.message.contains("may not be named here") == true)
    #expect(found?.message.contains("did you mean secret") != true)
  }

  /// Bug: a key in brackets was no step of a path.
  @Test(arguments: ["meta['secret'] == 'a'", "meta.secret == 'a'", "meta['open']['secret'] == 'a'"])
  func `a key is a name of a path, however it is written`(text: String) {
    #expect(error(text, FilterLimits(paths: ["meta", "meta.open"]))?.limit == .paths)
    #expect(error(text, FilterLimits(paths: ["meta.secret", "meta.open.secret"])) == nil)
    #expect(error(text, FilterLimits(maximumSteps: 1))?.limit == .steps)
    // All of them are a name of their own.
    #expect(error("ANY meta[*] == 'a'", FilterLimits(paths: ["meta"]))?.limit == .paths)
    #expect(error("ANY meta[*] == 'a'", FilterLimits(paths: ["meta.*"])) == nil)
  }

  /// Bug: a dictionary that was listed had its values compared, whatever their keys.
  @Test(arguments: [
    "ANY settings == 'a'", "NONE settings BEGINSWITH 'a'", "settings CONTAINS 'a'", "'a' IN settings",
  ])
  func `the values of a dictionary are a path of their own`(text: String) {
    let (paths, all): (Set, Set) = (["settings", "members", "members.settings"], ["settings.*"])
    #expect(error(text, FilterLimits(paths: paths))?.limit == .paths)
    #expect(error(text, FilterLimits(paths: all))?.limit == nil)
    let inner = text.replacing("settings", with: "$m.settings")
    let nested = "SUBQUERY(members, $m, \(inner)).@count > 0"
    #expect(error(nested, FilterLimits(paths: paths))?.limit == .paths)
    #expect(error(nested, FilterLimits(paths: ["members", "members.settings.*"]))?.limit == nil)
    let element = "SUBQUERY(maps, $x, \(text.replacing("settings", with: "$x"))).@count > 0"
    #expect(error(element, FilterLimits(paths: ["maps"]))?.limit == .paths)
    #expect(error(element, FilterLimits(paths: ["maps", "maps.*"]))?.limit == nil)
  }

  /// Bug: whoever might name a link read the ids of its objects, which may be addresses, letter by letter.
  @Test(arguments: [
    "SUBQUERY(members, $m, $m > 'a').@count > 0", "SUBQUERY(members, $m, $m BEGINSWITH 'a').@count > 0",
    "SUBQUERY(members, $m, length($m) > 1).@count > 0", "ANY members > 'a'", "ANY members LIKE 'a*'",
  ])
  func `an object may be compared with another where its id may not be read`(text: String) {
    #expect(error(text, FilterLimits(paths: ["members"]))?.limit == .paths)
    #expect(error(text, FilterLimits(paths: ["members", "members.id"]))?.limit == nil)
    for text in [
      "SUBQUERY(members, $m, $m == 'a').@count > 0", "ANY members IN {1, 2}", "members CONTAINS 1",
      "SUBQUERY(labels, $l, $l > 'a').@count > 0", "ANY labels BEGINSWITH 'a'",
    ] {
      #expect(error(text, FilterLimits(paths: ["members", "labels"]))?.limit == nil, "\(text)")
    }
  }

  @Test(arguments: [
    "SUBQUERY(members, $m, $m CONTAINS 'ab').@count > 0",
    "SUBQUERY(members, $m, $m CONTAINS[cd] 'ab').@count > 0",
    "ANY members CONTAINS {'ab'}", "boss CONTAINS ANY {'ab'}", "members CONTAINS ANY {'ab'}", "boss > 'a'",
    "boss LIKE 'a*'", "uppercase(boss) == 'A'", "SELF BEGINSWITH 'a'", "SELF > 'a'",
  ])
  func `an id that is a text is read by no relation of its object`(text: String) throws {
    let paths: Set = ["boss", "members", "SELF"]
    func limit(_ paths: Set<String>) -> StoreError.Limit? {
      do throws(StoreError) {
        _ = try Member.where(format: text, limits: FilterLimits(paths: paths))
        return nil
      } catch { return error.limit }
    }
    #expect(limit(paths) == .paths)
    #expect(limit(paths.union(["boss.id", "members.id", "id"])) == nil)
  }

  /// Bug: the error named the id of a link, and so told that it is one.
  @Test func `the error of a path tells nothing of what it leads to`() {
    for name in ["members", "settings", "name", "nosuch"] {
      for text in ["\(name) > 1", "ANY \(name) == 'a'", "length(\(name)) > 1"] {
        let found = error(text, FilterLimits(paths: ["scores"]))
        #expect(found?.message.contains("\(name) may not be named here") == true, "\(text): \(found as Any)")
      }
    }
  }

  @Test func `a point in a name is not one between two names`() {
    for text in ["meta['a.b'] == 1", "meta.`a.b` == 1"] {
      #expect(error(text, FilterLimits(paths: ["meta.a.b"]))?.limit == .paths)
      #expect(error(text, FilterLimits(paths: [#"meta.a\.b"#])) == nil)
    }
    #expect(error("meta['*'] == 1", FilterLimits(paths: ["meta.*"]))?.limit == .paths)
    #expect(error("ANY meta[*] == 1", FilterLimits(paths: ["meta.*"])) == nil)
    // Bug: a backslash at the end of a name made one name of two.
    let two = #"meta["a\\"].b == 1"#
    #expect(error(two, FilterLimits(paths: [#"meta.a\.b"#]))?.limit == .paths)
    #expect(error(two, FilterLimits(paths: [#"meta.a\\.b"#])) == nil)
  }

  @Test(arguments: [
    "name == 'a'", "members.@count > 3", "ANY members.name == 'a'", "ANY scores > 3",
    "SUBQUERY(members, $m, $m.name == name).@count > 0", "SUBQUERY(scores, $s, $s > 3).@count > 0",
  ])
  func `paths that were listed may be named`(text: String) {
    #expect(error(text, FilterLimits(paths: Self.paths)) == nil)
  }

  @Test(arguments: [
    "TRUEPREDICATE SORT(secret ASC)", "TRUEPREDICATE DISTINCT(secret)", "TRUEPREDICATE SORT(SELF DESC)",
  ])
  func `the steps of a query name listed paths alone, too`(text: String) {
    let found = #expect(throws: StoreError.self) {
      try Team.query(format: text, limits: FilterLimits(paths: Self.paths.union(["SELF"])))
    }
    #expect(found?.limit == .paths)
  }

  @Test func `the order by objects is named by their id, and their identity by themselves`() throws {
    let limits = FilterLimits(paths: ["SELF", "id"])
    _ = try Team.query(format: "TRUEPREDICATE SORT(SELF DESC)", limits: limits)
    _ = try Team.query(format: "TRUEPREDICATE DISTINCT(SELF)", limits: FilterLimits(paths: ["SELF"]))
  }

  @Test(arguments: [
    "ANY members.members.name == 'b'", "SUBQUERY(members, $m, $m.name == secret).@count > 0",
    "SUBQUERY(members, $m, ANY $m.members.name == secret).@count > 0",
    "SUBQUERY(scores, $x, SUBQUERY(scores, $y, $x + $y > 99).@count > 0).@count > 0",
    "NOT ANY members.members.name == 'b'", "members.members.@count > 899", "ANY scores > id + 99",
    "ANY scores > 99", "NOT ALL scores < 99", "SUBQUERY(scores, $s, $s > 99).@count > 0",
  ])
  func `an evaluation that visits too many rows ends with an error and no rows`(text: String) throws {
    let store = try Self.store(30)
    let all = store.fetch(try Team.where(format: text))
    #expect(all.error == nil)
    let limits = FilterLimits(maximumVisits: 200)
    let query = try Team.where(format: text, limits: limits)
    let results = store.fetch(query)
    #expect(results.isEmpty)
    #expect(results.error?.code == StoreError.filterTooExpensive)
    #expect(results.error?.limit == .visits)
    #expect(store.count(query) == 0)
    let page = try store.page(of: query, first: 3).rows
    #expect(page.isEmpty && page.error?.limit == .visits)
    let snapshot = store.snapshot()
    #expect(snapshot.value(of: query.sum(\.id)) == 0 && snapshot.value(of: query.max(\.id)) == nil)
    let groups = snapshot.value(of: query.grouped(by: \.name).count)
    #expect(groups.isEmpty && groups.error?.limit == .visits)
    let sections = snapshot.value(of: query.sorted(by: \.name).sectioned(by: \.name))
    #expect(sections.isEmpty && sections.error?.limit == .visits)
    #expect(store.fetch(try Team.query(format: text, limits: limits)).error?.limit == .visits)
    #expect(store.fetch(query.visiting(atMost: 200_000)).error?.limit == .visits)
    let enough = try Team.where(format: text).visiting(atMost: 2_000_000)
    #expect(store.fetch(enough).map(\.id) == all.map(\.id))
  }

  @Test func `rows that a filter is tested for are visits, whether they are fetched or counted`() throws {
    let store = try Self.store(100)
    let query = Team.where { $0.name == "a" }
    let (enough, few) = (query.visiting(atMost: 100), query.visiting(atMost: 99))
    #expect(store.fetch(enough).count == 100 && store.count(enough) == 100)
    #expect(store.fetch(few).error?.limit == .visits && store.count(few) == 0)
  }

  @Test func `elements that a condition on the row around them is tested for are visits`() throws {
    let store = try Self.store(100)
    let some = Team.where { team in team.scores.contains { $0 > team.id + 99 } }
    let count = try Team.where(format: "SUBQUERY(scores, $s, $s > id + 99).@count > 1")
    for query in [some, count] {
      #expect(store.fetch(query.visiting(atMost: 2_100)).error == nil)
      #expect(store.fetch(query.visiting(atMost: 2_000)).error?.limit == .visits, "\(query)")
    }
  }

  @Test func `edits of the rows of a filter that visits too many rows throw, and change nothing`() throws {
    let store = try Self.store(100)
    let query = try Team.where(
      format: "NOT ANY members.members.name == 'b'", limits: FilterLimits(maximumVisits: 500))
    for edit in [{ tx in try tx.delete(query) }, { tx in try tx.update(query) { $0.name = "c" } }]
      as [(inout WriteTransaction) throws -> Void]
    {
      let found = #expect(throws: StoreError.self) { try store.write { tx in try edit(&tx) } }
      #expect(found?.code == StoreError.filterTooExpensive)
    }
    #expect(store.fetch(Team.where { $0.name == "a" }).count == 100)
  }

  @Test func `a live query whose evaluation visits too many rows has the error as its only event`()
    async throws
  {
    let store = try Self.store(100)
    let query = try Team.where(
      format: "ANY members.members.name == 'b'", limits: FilterLimits(maximumVisits: 500))
    var events: [CollectionChange<Team>] = []
    for await event in store.changes(of: query) {
      events.append(event)
      guard case .error = event else { break }
    }
    guard case .error(let error)? = events.last else { throw Mismatch("\(events)") }
    #expect(events.count == 1)
    #expect(error.code == StoreError.filterTooExpensive)
    #expect(error.limit == .visits)
  }

  @Test func `a live query whose upkeep visits too many rows has the error as its last event`() async throws {
    let store = try Store(Team.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<100).map { Team(id: $0, name: "a") }) }
    let query = try Team.where(
      format: "ANY members.members.name == 'b'", limits: FilterLimits(maximumVisits: 500))
    let unlimited = try Team.where(format: "ANY members.members.name == 'b'")
    var events = store.changes(of: query).makeAsyncIterator()
    var others = store.changes(of: unlimited).makeAsyncIterator()
    guard case .initial? = await events.next(), case .initial? = await others.next() else {
      throw Mismatch("no initial event")
    }
    try await store.write { tx in
      for id in 0..<100 { try tx.update(Team.self, id) { $0.members = RefList(ids: 0..<100) } }
      try tx.update(Team.self, 99) { $0.name = "b" }
    }
    guard case .error(let error)? = await events.next() else { throw Mismatch("no error") }
    #expect(error.limit == .visits)
    #expect(await events.next() == nil)
    // The same query without a limit is not disturbed.
    guard case .update(let teams, _)? = await others.next() else { throw Mismatch("no update") }
    #expect(teams.count == 100)
  }

  @Test func `queries with different limits are different queries`() throws {
    let query = Team.where { $0.name == "a" }
    #expect(query != query.visiting(atMost: 5))
    #expect(query.visiting(atMost: 5) == query.visiting(atMost: 9).visiting(atMost: 5).visiting(atMost: 7))
    #expect(query.visiting(atMost: 5).format == nil)
  }

  @Test func `a limited evaluation ends when its task is cancelled, whatever is asked for`() async throws {
    let store = try Self.store(50)
    let plain = try Team.where(format: "NOT ANY members.members.name == 'b'")
    let limited = plain.visiting(atMost: 20_000_000)
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let snapshot = store.snapshot()
      #expect(snapshot.fetch(limited).error?.code == StoreError.cancelled)
      #expect(snapshot.count(limited) == 0 && snapshot.value(of: limited.sum(\.id)) == 0)
      let page = try snapshot.page(of: limited, first: 3)
      #expect(page.rows.error?.code == StoreError.cancelled)
      let groups = snapshot.value(of: limited.grouped(by: \.name).count)
      #expect(groups.isEmpty && groups.error?.code == StoreError.cancelled)
      #expect(snapshot.fetch(plain).count == 50)
    }.value
  }

  /// Bug: what is read for groups was evaluated to its end, and where groups are counted after that was begun once in vain.
  @Test func `sections and groups of a limited evaluation end when their task is cancelled`() async throws {
    let store = try Store(Team.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<20_000).map { Team(id: $0) }) }
    let tested = Mutex(0)
    let query = Team.filter { (_: Team) in
      tested.withLock { $0 += 1 }
      return true
    }.visiting(atMost: 1_000_000)
    let error = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let snapshot = store.snapshot()
      _ = snapshot.value(of: query.grouped(by: \.name).count)
      _ = snapshot.value(of: query.grouped(by: \.name).max(\.id))
      return snapshot.value(of: query.sectioned(by: \.name)).error
    }.value
    #expect(error?.code == StoreError.cancelled)
    // Four evaluations, of which each ends within a thousand rows.
    #expect(tested.withLock { $0 } < 8_000)
  }

  /// Bug: groups whose evaluation visited too many rows were evaluated once more, and their errors were not told.
  @Test func `groups that visit too many rows are evaluated once`() throws {
    let store = try Store(Team.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<20_000).map { Team(id: $0) }) }
    let tested = Mutex(0)
    let query = Team.filter { (_: Team) in
      tested.withLock { $0 += 1 }
      return true
    }.visiting(atMost: 5_000)
    let groups = store.snapshot().value(of: query.grouped(by: \.name).count)
    #expect(groups.isEmpty && groups.error?.limit == .visits)
    #expect(tested.withLock { $0 } < 7_500)
  }

  /// Bug: what a text takes was multiplied by the number of all conditions.
  @Test func `reading a text counts once, however many conditions are beside it`() throws {
    let store = try Store(Team.self)
    let name = String(repeating: "a", count: 6_400)
    try store.write { tx in try tx.insert(contentsOf: (0..<100).map { Team(id: $0, name: name) }) }
    let others = (200..<263).map { " AND (id + \($0)) != -1" }.joined()
    let query = try Team.where(format: "NOT name CONTAINS[c] 'zz'\(others)")
    #expect(store.fetch(query.visiting(atMost: 12_000)).count == 100)
    #expect(store.fetch(query.visiting(atMost: 10_000)).error?.limit == .visits)
  }

  /// Bug: a test of a text of ten thousand bytes counted as one of ten.
  @Test(arguments: [
    "name CONTAINS[cd] 'zz'", "NOT name BEGINSWITH[c] 'zz'", "name ENDSWITH[d] 'zz'", "name ==[cd] 'zz'",
    "name IN[c] {'zz', 'yy'}", "lowercase(name) == 'zz'", "length(name) < 3", "name TEXT 'zz'",
    "name LIKE[c] 'zz*'", "ANY labels CONTAINS[c] 'zz'", "name.@count < 3", "name.length < 3",
    "labels[0].@count < 3",
    "SUBQUERY(labels, $l, $l ENDSWITH[c] 'zz').@count > 0",
    "name CONTAINS[c] secret", "secret CONTAINS[c] name", "name ==[c] secret", "name !=[cd] secret",
  ])
  func `the length of texts that are tested counts towards the rows that may be visited`(text: String) throws
  {
    for (length, isRefused) in [(50, false), (10_000, true)] {
      let name = String(repeating: "abcde", count: length / 5)
      let store = try Store(Team.self)
      try store.write { tx in
        try tx.insert(contentsOf: (0..<100).map { Team(id: $0, name: name, secret: "zz", labels: [name]) })
      }
      let query = try Team.where(format: text).visiting(atMost: 3_000)
      #expect(store.fetch(query).error?.limit == (isRefused ? .visits : nil), "\(length)")
    }
  }

  /// Bug: a document counted as one value however large it is, and each text of a list was folded for each row.
  @Test(arguments: [
    ("meta.open == 1", 60, 1_000), ("meta['open'] == 1", 60, 1_000), ("scores[0] > 5", 60, 1_000),
    ("scores CONTAINS -1", 60, 10_000), ("-1 IN scores", 60, 10_000), ("scores.@sum < 0", 60, 10_000),
    ("scores.@max < 0", 60, 10_000), ("scores.@avg < 0", 60, 10_000),
    ("uppercase(name) TEXT '\((0..<100).map { "w\($0)" }.joined(separator: " "))'", 5, 5),
    ("uppercase(name) CONTAINS[c] {'\((0..<100).map { "w\($0)" }.joined(separator: "','"))'}", 5, 5),
  ])
  func `what is converted, and the words and texts that are looked for, count`(
    text: String, size: Int, refused: Int
  ) throws {
    let (small, large) = (try counted(text, size), try counted(text, refused))
    #expect(small == (size > 5 ? nil : .visits))
    #expect(large == .visits)
  }

  /// The limit that a filter of a hundred rows exceeds, whose values have so many parts.
  private func counted(_ text: String, _ size: Int) throws -> StoreError.Limit? {
    let store = try Store(Team.self)
    let meta = JSONValue.object(JSONObject((0..<size).map { (key: "k\($0)", value: JSONValue($0)) }))
    try store.write { tx in
      try tx.insert(
        contentsOf: (0..<100).map { Team(id: $0, name: "abc", scores: Array(0..<size), meta: meta) })
    }
    return store.fetch(try Team.where(format: text).visiting(atMost: 3_000)).error?.limit
  }

  /// Bug: each level was compiled twice, a billion times in all.
  @Test func `subqueries over JSON are compiled once, however they nest`() throws {
    var (text, meta) = ("$x30 == 1", JSONValue(1))
    for level in (0..<30).reversed() {
      text = "SUBQUERY(\(level == 0 ? "meta" : "$x\(level)"), $x\(level + 1), \(text)).@count > 0"
      meta = [meta, 2]
    }
    let store = try Store(Team.self)
    try store.write { [meta] tx in
      try tx.insert(Team(id: 1, meta: meta))
      try tx.insert(Team(id: 2, meta: [meta]))
    }
    #expect(store.fetch(Team.where(try Filter(format: text))).map(\.id) == [1])
  }

  @Test func `a text is folded once for all constants of a list`() throws {
    let store = try Store(Team.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<100).map { Team(id: $0, name: $0 == 7 ? "É" : "x") })
    }
    let others = (0..<300).map { "'n\($0)'" }.joined(separator: ",")
    let query = try Team.where(format: "name IN[cd] {\(others),'e'}")
    #expect(store.fetch(query.visiting(atMost: 2_000)).map(\.id) == [7])
  }

  /// Bug: the texts that a sort by relevance reads counted nothing.
  @Test func `texts that are ranked by relevance count for each term`() throws {
    let store = try Store(Guest.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<20).map { Guest(id: $0, name: String(repeating: "tea ", count: 1_000)) })
    }
    let words = (0..<50).map { "w\($0)" }.joined(separator: " ")
    let one = Guest.all.sorted(byRelevanceTo: "tea")
    let many = Guest.all.sorted(byRelevanceTo: words)
    #expect(store.fetch(one.visiting(atMost: 10_000)).count == 20)
    #expect(store.fetch(many.visiting(atMost: 10_000)).error?.limit == .visits)
    #expect(store.fetch(many).count == 20)
    // Short texts, too, each of which is less than one visit.
    try store.write { tx in try tx.update(Guest.all) { $0.name = "tea and milk" } }
    let most = Guest.all.sorted(byRelevanceTo: (0..<1_000).map { "w\($0)" }.joined(separator: " "))
    #expect(store.fetch(most.visiting(atMost: 1_000)).error?.limit == .visits)
  }

  /// Bug: the links of a set were looked up, and those of a list compared, without being counted.
  @Test(arguments: [
    "ANY friends.name == 'n'", "friends.@isEmpty == TRUE", "NOT friends CONTAINS 99999",
    "NOT members CONTAINS 99999",
  ])
  func `links that are looked up or compared are visits`(text: String) throws {
    let store = try Store(Guest.self)
    try store.write { tx in
      try tx.insert(
        contentsOf: (0..<50).map {
          Guest(id: $0, name: "n", friends: RefSet(ids: 0..<800), members: RefList(ids: 0..<800))
        })
      try tx.insert(contentsOf: (50..<800).map { Guest(id: $0, name: "n") })
    }
    let query = try Guest.where(format: text)
    #expect(store.fetch(query.visiting(atMost: 3_000)).error?.limit == .visits)
    #expect(store.fetch(query.visiting(atMost: 100_000)).error == nil)
  }

  /// Bug: a row counted as one however many conditions it was tested for, and keys it was compared by.
  @Test(arguments: [
    (1..<100).map { "name ==[c] 'a\($0)'" }.joined(separator: " OR "),
    "SUBQUERY(members, $m, \((1..<100).map { "$m.name ==[c] 'a\($0)'" }.joined(separator: " OR "))).@count > 1",
    "(id\(String(repeating: " + id", count: 100))) > 99999",
    "TRUEPREDICATE DISTINCT(id\(String(repeating: ", name", count: 100)))",
  ])
  func `many conditions and keys count as many rows`(text: String) throws {
    let store = try Store(Team.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<100).map { Team(id: $0, name: "b") }) }
    let query = try Team.query(format: text)
    #expect(store.fetch(query.visiting(atMost: 600)).error?.limit == .visits)
    #expect(store.fetch(query.visiting(atMost: 20_000)).error == nil)
    #expect(store.fetch(try Team.where(format: "name == 'b'").visiting(atMost: 100)).count == 100)
  }
}

@Suite(.timeLimit(.minutes(10))) struct `The cost of patterns` {
  private static func store(_ texts: [String]) throws -> Store {
    let store = try Store(Team.self)
    try store.write { tx in try tx.insert(contentsOf: texts.enumerated().map { Team(id: $0, name: $1) }) }
    return store
  }

  /// Bug: a pattern was limited by its states alone, and took 13 ms for a row.
  @Test func `a pattern that takes too many steps for a text ends the evaluation with an error`() throws {
    let store = try Self.store(Array(repeating: String(repeating: "a b ", count: 52), count: 3))
    for text in ["name MATCHES '([a-z ]?){2000}x'", "NOT name MATCHES '([a-z ]?){2000}x'"] {
      let results = store.fetch(try Team.where(format: text))
      #expect(results.isEmpty)
      #expect(results.error?.code == StoreError.filterTooExpensive)
      #expect(results.error?.limit == .pattern)
    }
  }

  @Test func `a live query has the error of a pattern as its last event`() async throws {
    let store = try Self.store(["x"])
    var events = store.changes(of: try Team.where(format: "name MATCHES '([a-z ]?){2000}x'"))
      .makeAsyncIterator()
    guard case .initial(let teams)? = await events.next() else { throw Mismatch("no initial event") }
    #expect(teams.count == 1)
    try await store.write { tx in
      try tx.update(Team.self, 0) { $0.name = String(repeating: "a b ", count: 52) }
    }
    guard case .error(let error)? = await events.next() else { throw Mismatch("no error") }
    #expect(error.limit == .pattern)
  }

  @Test(arguments: [
    ("[0-9]{2000}", String(repeating: "7", count: 2_000)),
    (".*x", String(repeating: "a", count: 100_000) + "x"),
    ("(a|b|ab)*", String(repeating: "ab", count: 20_000)), ("([a-z ]?){20}", "a b c"),
  ])
  func `a pattern that takes few steps for each character matches texts of any length`(
    pattern: String, text: String
  )
    throws
  {
    let store = try Self.store([text])
    let results = store.fetch(Team.where { [pattern = try TextPattern(pattern)] in $0.name.matches(pattern) })
    #expect(results.error == nil)
    #expect(results.count == 1)
  }

  /// Bug: what a pattern may cost was known for patterns that the text of a filter gives alone.
  @Test func `a pattern that is a value of the row is limited, too`() throws {
    let store = try Store(Team.self)
    try store.write { tx in
      try tx.insert(Team(id: 0, name: String(repeating: "a b ", count: 52), secret: "([a-z ]?){2000}x"))
    }
    for text in ["name MATCHES secret", "ANY members.name MATCHES secret", "NOT name MATCHES[cd] secret"] {
      try store.write { tx in try tx.update(Team.self, 0) { $0.members = RefList(ids: [0]) } }
      #expect(store.fetch(try Team.where(format: text)).error?.limit == .pattern, "\(text)")
    }
    let inside = try Team.where(
      format: "SUBQUERY(members, $m, $m.name MATCHES '([a-z ]?){2000}x').@count > 1")
    #expect(store.fetch(inside).error?.limit == .pattern)
  }

  /// Bug: elements were tested without what limits an evaluation.
  @Test(arguments: [
    "ANY labels MATCHES '([a-z ]?){2000}x'", "NONE labels MATCHES '([a-z ]?){2000}x'",
    "SUBQUERY(labels, $l, $l MATCHES '([a-z ]?){2000}x').@count > 0",
    "SUBQUERY(labels, $l, NOT $l MATCHES[cd] '([a-z ]?){2000}x').@count > 1",
  ])
  func `a pattern that elements are matched with is limited, too`(text: String) throws {
    let store = try Store(Team.self)
    try store.write { tx in
      try tx.insert(Team(id: 0, labels: [String(repeating: "a b ", count: 52), "b"]))
    }
    let results = store.fetch(try Team.where(format: text))
    #expect(results.isEmpty)
    #expect(results.error?.limit == .pattern)
  }

  /// Bug: a class was one step, however many properties it asks for.
  @Test func `a class of many properties takes as many steps for letters beyond ASCII`() throws {
    let store = try Self.store(Array(repeating: String(repeating: "ж", count: 100), count: 20))
    let pattern = "[^\(String(repeating: #"\d"#, count: 600))]*"
    let results = store.fetch(Team.where { [pattern = try TextPattern(pattern)] in $0.name.matches(pattern) })
    #expect(results.error?.limit == .pattern)
    let plain = store.fetch(Team.where { [pattern = try TextPattern("[^\\d]*")] in $0.name.matches(pattern) })
    #expect(plain.count == 20)
  }

  /// Bug: each state that asked whether a word begins looked back over all marks, which cost a step.
  @Test func `whether a word begins is asked once at each place, however many states ask it`() throws {
    let marks = String(repeating: "\u{301}", count: 1_000)
    let store = try Self.store(Array(repeating: "a\(marks) ", count: 10))
    let query = try Team.where(format: "name MATCHES %@", #"[^q]*(\bq?){2400}[^q]*"#)
    #expect(store.fetch(query.visiting(atMost: 5_000)).count == 10)
  }

  @Test func `looking back over marks takes a step for each`() throws {
    let text = "b\(String(repeating: "\u{301}", count: 5_000)) "
    func steps(_ pattern: String) throws -> Int {
      var steps = 0
      #expect(try RegularPattern(pattern).matches(text, steps: &steps))
      return steps
    }
    // One state at each place, and all marks are looked at where it is asked whether a word ends.
    let (plain, boundary) = (try steps(#"b\u0301{5000} "#), try steps(#"b\u0301{5000}\b "#))
    #expect(boundary - plain > 5_000)
  }

  @Test func `the work of patterns counts towards the rows that may be visited`() throws {
    let store = try Self.store(Array(repeating: String(repeating: "a b ", count: 52), count: 200))
    let query = try Team.where(format: "name MATCHES '([a-z ]?){100}x'")
    #expect(store.fetch(query).error == nil)
    #expect(store.fetch(query.visiting(atMost: 1_000)).error?.limit == .visits)
  }

  @Test func `patterns that are made for each row count towards the rows that may be visited`() throws {
    let store = try Store(Team.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<200).map { Team(id: $0, name: "b", secret: "a{\($0 + 1_000)}") })
    }
    let query = try Team.where(format: "name MATCHES secret")
    #expect(store.fetch(query).error == nil)
    #expect(store.fetch(query.visiting(atMost: 1_000)).error?.limit == .visits)
  }

  /// Bug: what is no pattern cost nothing, and a class as much as a letter.
  @Test(arguments: [
    ("MATCHES", String(repeating: "[^\\w\\d]", count: 40)),
    ("MATCHES", String(repeating: "a", count: 500) + "("), ("LIKE", String(repeating: "a", count: 10_000)),
  ])
  func `what takes long to read as a pattern counts, whether it is one or not`(
    relation: String, pattern: String
  ) throws {
    let store = try Store(Team.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<100).map { Team(id: $0, name: "b", secret: pattern) })
    }
    let query = try Team.where(format: "name \(relation) secret")
    #expect(store.fetch(query).error == nil)
    #expect(store.fetch(query.visiting(atMost: 10_000)).error?.limit == .visits)
  }
}
