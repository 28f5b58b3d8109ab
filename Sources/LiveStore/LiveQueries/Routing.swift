/// Finds the queries that a commit can matter to, without asking all of them.
///
/// Given the changed rows, it gives each query those that can change its result: by the values that its
/// filter asks for (``Router``), over the links that it reads (``TermRead``), by the lists that it starts
/// from.
///
/// Guarded by its lock in ``LiveEngine``, which is held for a pass.
struct Routing {
  /// A query as routing knows it.
  private final class Member {
    let query: MaintainedQuery
    /// How the router of its table finds it; nil where it is found in another way.
    var route: Router.Route?
    /// The list that it starts from.
    let list: (link: IncomingLink, owner: UInt64)?
    /// The rows for it in the pass under way.
    var rows: [RowChange] = []
    var lastRow: UInt64?

    var isLinked: Bool { !query.chains.isEmpty }
    /// Whether finding it by the values of a row may run user code.
    var isOfUsersValues: Bool { route?.isByValue == true && !query.key.stages[0].filter.hasKnownCandidates }

    init(_ query: MaintainedQuery, list: (IncomingLink, UInt64)?) {
      self.query = query
      self.list = list
    }
  }

  private var members: [UInt64: Member] = [:]
  private var routers: [Int: Router] = [:]
  /// The links over which queries of a table read other tables, each with the number of these queries.
  private var chains: [Int: [TermRead: Int]] = [:]
  /// Queries that start from an object's list: by the property, then by the hash of the owner's id.
  private var lists: [IncomingLink: [UInt64: Set<UInt64>]] = [:]
  /// Queries whose result is a table itself, by table: queries with different limits on visits are different.
  private var wholeTables: [Int: Set<UInt64>] = [:]
  /// How many queries are found by values of user types.
  private var usersValues = 0
  /// Queries that the pass under way has rows for.
  private var touched: Set<UInt64> = []
  private var figures = (unroutedTests: 0, linkedTests: 0, duration: Duration.zero)
  /// How many queries may be found by one value, and whether there were more of them, which were left out.
  private var maximumFound = Int.max
  private var isOverMaximum = false

  /// How many rows, and queries found by one value of a row, are routed by the thread that commits.
  private static let maximumAtOnce = 16

  /// How many rows were tested by queries that cannot be routed, and over links, and how long routing took, since the
  /// last call.
  mutating func takeFigures() -> (unroutedTests: Int, linkedTests: Int, duration: Duration) {
    defer { figures = (0, 0, .zero) }
    return figures
  }
}

// MARK: Members

extension Routing {
  /// - Parameter catalog: nil only if nothing is inserted.
  mutating func apply(_ routingChanges: [UInt64: RoutingChange], _ catalog: Catalog?) {
    for (id, edit) in routingChanges { if case .remove = edit { remove(id) } }
    // The route that a query gets depends on those that were inserted before it (L15).
    for (id, edit) in routingChanges.sorted(by: { $0.key < $1.key }) {
      guard case .insert(let query, let isRoutable, _) = edit, let catalog else { continue }
      remove(id)
      insert(query, isRoutable: isRoutable, catalog)
    }
  }

  private mutating func insert(_ query: MaintainedQuery, isRoutable: Bool, _ catalog: Catalog) {
    let (id, table, stage) = (query.id, query.key.table, query.key.stages[0])
    var list: (IncomingLink, UInt64)?
    if let source = stage.source, let link = catalog.link(of: source) { list = (link, source.idHash) }
    let member = Member(query, list: list)
    if let (link, owner) = list {
      lists[link, default: [:]][owner, default: []].insert(id)
    } else if query.isTable {
      wholeTables[table, default: []].insert(id)
    } else {
      member.route = routers[table, default: Router()].insert(id, stage.filter, isRoutable: isRoutable)
    }
    for chain in query.chains { chains[table, default: [:]][chain, default: 0] += 1 }
    members[id] = member
    if member.isOfUsersValues { usersValues += 1 }
  }

  private mutating func remove(_ id: UInt64) {
    guard let member = members.removeValue(forKey: id) else { return }
    if member.isOfUsersValues { usersValues -= 1 }
    let table = member.query.key.table
    for chain in member.query.chains {
      let count = (chains[table]?[chain] ?? 1) - 1
      chains[table]?[chain] = count > 0 ? count : nil
      if chains[table]?.isEmpty == true { chains[table] = nil }
    }
    if let (link, owner) = member.list {
      lists[link]?[owner]?.remove(id)
      if lists[link]?[owner]?.isEmpty == true { lists[link]?[owner] = nil }
      if lists[link]?.isEmpty == true { lists[link] = nil }
    } else if let route = member.route {
      routers[table]?.remove(id, route)
    } else {
      wholeTables[table]?.remove(id)
      if wholeTables[table]?.isEmpty == true { wholeTables[table] = nil }
    }
  }
}

// MARK: Routing a commit

extension Routing {
  /// The rows for each query that a commit can matter to, in the order of the queries (L15); a query may have
  /// none, if its list's owner changed or its result is the table.
  ///
  /// - Complexity: O(*k* log *n*) for *k* rows, and O(*q* log *q*) for *q* queries found.
  mutating func route(_ changes: StoreChanges) -> [(query: MaintainedQuery, rows: [RowChange])] {
    let start = ContinuousClock.now
    defer { figures.duration += ContinuousClock.now - start }
    for (table, rows) in changes.tables { collect(rows, table, changes) }
    var linked: [Int: [RowChange]] = [:]
    for (table, chains) in chains {
      let rows = changes.linkedRows(of: table, chains.keys)
      figures.linkedTests += rows.count
      collect(rows, table, changes, isLinked: true)
      linked[table] = rows
    }
    collectListed(changes, linked: linked)
    var routed: [(query: MaintainedQuery, rows: [RowChange])] = []
    routed.reserveCapacity(touched.count)
    for id in touched {
      guard let member = members[id] else { continue }
      routed.append((member.query, member.rows))
      member.rows = []
      member.lastRow = nil
    }
    touched.removeAll(keepingCapacity: true)
    if routed.count > 1 { routed.sort { $0.query.id < $1.query.id } }
    return routed
  }

  /// The same for the thread that commits: nil if it would take more than a few lookups for each row, or run
  /// user code (L13).
  ///
  /// - Complexity: O(*k* log *n*) for *k* rows.
  mutating func routeAtOnce(_ changes: StoreChanges) -> [(query: MaintainedQuery, rows: [RowChange])]? {
    let limit = Self.maximumAtOnce
    guard usersValues == 0, chains.isEmpty, lists.isEmpty,
      changes.tables.allSatisfy({ table, rows in
        rows.count <= limit && routers[table]?.always.count ?? 0 <= limit
      })
    else { return nil }
    maximumFound = limit
    defer { (maximumFound, isOverMaximum) = (.max, false) }
    let routed = route(changes)
    return isOverMaximum ? nil : routed
  }

  /// Hands the rows to the queries that they can matter to.
  ///
  /// - Parameter isLinked: whether the rows are unchanged and matter only to queries over links.
  private mutating func collect(
    _ rows: [RowChange], _ table: Int, _ changes: StoreChanges, isLinked: Bool = false
  ) {
    if rows.isEmpty { return }
    if !isLinked, let whole = wholeTables[table] { touched.formUnion(whole) }
    guard let router = routers[table] else { return }
    let (old, new) = (changes.old.context, changes.new.context)
    for id in router.always {
      guard let member = members[id], !isLinked || member.isLinked else { continue }
      if member.rows.isEmpty { member.rows = rows } else { member.rows += rows }
      touched.insert(id)
      figures.unroutedTests += rows.count
    }
    if router.isOnlyAlways { return }
    for row in rows {
      let areAllFound = router.forEach(matching: row, old, new, atMost: maximumFound) { id in
        guard let member = members[id], member.lastRow != row.row, !isLinked || member.isLinked else {
          return
        }
        member.lastRow = row.row
        member.rows.append(row)
        touched.insert(id)
      }
      if !areAllFound { isOverMaximum = true }
    }
  }

  /// Hands changed rows to the queries that start from a list with these rows, and touches the queries whose
  /// list's owner changed (O3).
  ///
  /// - Parameter linked: unchanged rows whose linked values may have changed, by table.
  /// - Complexity: O(*k*) lookups for *k* changed owners, and for each changed row of the lists' entity as many as
  ///   there are owners that have it, or live lists, if those are fewer.
  private mutating func collectListed(_ changes: StoreChanges, linked: [Int: [RowChange]]) {
    let catalog = changes.new.catalog
    for (link, owners) in lists {
      guard let target = catalog.index(of: catalog.entities[link.table].links[link.link].target) else {
        continue
      }
      let ids = catalog.entities[link.table].ids
      for row in changes.rows(in: link.table) {
        guard let object = row.new ?? row.old, let queries = owners[ids.hash(object)] else { continue }
        touched.formUnion(queries)
      }
      for row in changes.rows(in: target) + (linked[target] ?? []) {
        for id in lists(holding: row, link, owners, target, changes) {
          guard let member = members[id], !row.isLinked || member.isLinked else { continue }
          member.rows.append(row)
          touched.insert(id)
        }
      }
    }
  }

  /// The queries whose list may hold a row.
  private func lists(
    holding row: RowChange, _ link: IncomingLink, _ owners: [UInt64: Set<UInt64>], _ target: Int,
    _ changes: StoreChanges
  ) -> Set<UInt64> {
    let (ids, ownerIDs) = (
      changes.new.catalog.entities[target].ids, changes.new.catalog.entities[link.table].ids
    )
    // An added or removed entry is reported by its owner's change, so the new state is enough, except for a
    // row whose id another row has now.
    guard let object = row.new ?? row.old else { return [] }
    let table = changes.new.tables[link.table]
    let hash = ids.hash(object)
    var found: Set<UInt64> = []
    if table.range(link.link, listedUnder: hash).count > owners.count {
      for queries in owners.values { found.formUnion(queries) }
      return found
    }
    // Lists with another id of the same hash do no harm, and the list itself may be long.
    table.forEachRow(link.link, listedUnder: hash) { owner in
      found.formUnion(owners[ownerIDs.hash(table.existing(owner))] ?? [])
      return true
    }
    return found
  }
}

extension Router.Route {
  /// The route of a filter, as if it were the only one.
  init(_ filter: ConditionTree) { self.init(filter) { _ in 0 } }

  /// Whether values lead to it.
  var isByValue: Bool { if case .always = self { false } else { true } }
}
