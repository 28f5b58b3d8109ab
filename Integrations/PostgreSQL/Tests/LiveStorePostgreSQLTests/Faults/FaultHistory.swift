import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport

/// A random history of tables, faults, and a replica that follows in spite of them.
struct FaultHistory {
  private let world: FaultyWorld
  private let tables: SampleTables
  private let isDurable: Bool
  private let kinds: [Fault]
  private var random: SplitMix64
  private var workload: Workload
  private(set) var faults: [Fault] = []
  private(set) var commits = 0
  private(set) var copies = 0

  var log: [String] { workload.log }

  /// - Parameter kinds: the faults that may happen.
  init(_ seed: UInt64, in world: FaultyWorld, _ kinds: [Fault] = Fault.allCases) async throws {
    self.world = world
    self.kinds = kinds
    random = SplitMix64(seed: seed)
    tables = SampleTables(&random)
    isDurable = random.chance(1, in: 2)
    world.proxy.heal()
    try await world.server.restart()
    try await tables.create(in: world.database)
    let hasLarge = random.chance(1, in: 4)
    workload = try await Workload(world.database, tables, random.fork(), hasLarge: hasLarge)
  }

  mutating func run() async throws {
    for _ in 0..<10 { try await workload.step() }
    try await workload.finish()
    var options = PostgresReplica.Options()
    options.minimumBackoff = .milliseconds(2)
    options.maximumBackoff = .milliseconds(50)
    options.silenceTimeout = .milliseconds(500)
    options.statusInterval = .milliseconds(100)
    let slot: ReplicationSlot = isDurable ? .durable(name: "faults") : .temporary
    workload.log.append("· start with \(slot)")
    let connectionString = world.database.connectionString(port: world.proxy.port)
    let replica = try await tables.start(connectionString, slot: slot, options: options)
    do {
      try await follow(replica)
      if isDurable { try await replica.dropSlot() } else { await replica.close() }
    } catch {
      await replica.close()
      world.proxy.heal()
      try await world.server.restart()
      if isDurable { try? await dropSlot() }
      throw error
    }
  }

  private mutating func follow(_ replica: PostgresReplica) async throws {
    let store = replica.store
    let start = store.snapshot()
    let queries = LiveQueries(store)
    for round in 1...random.int(1...3) {
      let fault = random.pick(kinds)
      faults.append(fault)
      workload.log.append("· \(fault)")
      try await inject(fault)
      world.proxy.heal()
      try await workload.finish()
      try await check(replica, "round \(round), after \(fault)", waits: fault.altersDefinitions)
    }
    for _ in 0..<4 { try await workload.step() }
    try await workload.finish()
    try await check(replica, "end, after \(faults)")
    try await queries.check("end, after \(faults)")
    let observed = try await CommitReader.commits(of: store, after: start.version)
    let readsAll = tables.mapsEventsByClosure
    let gaps = isDurable ? faults.reduce(0) { $0 + $1.copies(readsAll: readsAll) } : .max
    commits = try workload.history.check(
      Contents(of: start), observed, gaps: gaps,
      "commits, \(isDurable ? "durable" : "temporary"), after \(faults)")
    copies = replica.status.copies
  }

  /// - Parameter waits: whether the replica may yet have to find out that it must copy.
  private mutating func check(_ replica: PostgresReplica, _ place: String, waits: Bool = false) async throws {
    let position = try await workload.position()
    workload.log.append("· synced to \(position)")
    guard let lsn = LogSequenceNumber(position) else { throw Mismatch("\(position) is no position") }
    try await withDeadline("\(place): synced, \(replica.status)") { try await replica.synced(to: lsn) }
    let contents = workload.contents
    if waits { _ = await isReached { Contents(of: replica.store.snapshot()) == contents } }
    try Contents(of: replica.store.snapshot()).check(contents, place)
  }

  // MARK: Faults

  private mutating func steps(_ count: ClosedRange<Int>) async throws {
    for _ in 0..<random.int(count) { try await workload.step() }
  }

  private mutating func inject(_ fault: Fault) async throws {
    let proxy = world.proxy
    switch fault {
    case .cut:
      for _ in 0..<random.int(1...3) {
        let bytes = random.int(1...random.pick([10, 200, 4_000]))
        proxy.cut(
          after: bytes, random.pick([.toClient, .toClient, .toServer]), random.pick([.close, .reset]))
        try await steps(1...6)
      }
    case .refusal:
      proxy.isRefusing = true
      proxy.cutAll(random.pick([.close, .reset]))
      try await steps(1...10)
    case .freeze:
      proxy.isFrozen = true
      try await steps(1...10)
      if random.chance(1, in: 2) { proxy.cutAll(.reset) }
    case .termination:
      try await steps(0...3)
      try await workload.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'walsender'")
      try await steps(0...3)
    case .kill, .shutDown: try await end(fault)
    case .droppedSlot, .invalidatedSlot: try await loseSlot(fault)
    case .publication, .publicationAndCut: try await alterPublication(cuts: fault == .publicationAndCut)
    default: try await alterTable(fault)
    }
  }

  /// Ends the server while clients are at work.
  private mutating func end(_ fault: Fault) async throws {
    let server = world.server
    let task = Task { if fault == .kill { try await server.kill() } else { try await server.shutDown() } }
    do {
      try await steps(0...20)
    } catch is SQLError {
      // What was under way is lost or not: it is read below.
    }
    try await task.value
    try await server.restart()
    try await workload.reconnect()
    try await steps(0...3)
  }

  private func dropSlot() async throws {
    let client = try await world.database.connect()
    let slots = "pg_replication_slots WHERE slot_name = 'faults'"
    try await withDeadline("the slot is free") {
      while try await client.value("SELECT active FROM \(slots)") == "t" {
        try await client.execute("SELECT pg_terminate_backend(active_pid) FROM \(slots)")
      }
    }
    try await client.execute("SELECT pg_drop_replication_slot(slot_name) FROM \(slots)")
  }

  private mutating func loseSlot(_ fault: Fault) async throws {
    world.proxy.isRefusing = true
    world.proxy.cutAll()
    try await steps(0...4)
    if fault == .droppedSlot {
      try await dropSlot()
    } else {
      let client = try await world.database.connect()
      // Each switch begins a file of the log, of which a checkpoint may then keep none.
      for sql in ["ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'", "SELECT pg_reload_conf()"] {
        try await client.execute(sql)
      }
      for _ in 0..<4 {
        try await workload.execute("INSERT INTO noise VALUES (99) ON CONFLICT DO NOTHING; DELETE FROM noise")
        try await client.execute("SELECT pg_switch_wal()")
      }
      try await client.execute("CHECKPOINT")
      for sql in ["ALTER SYSTEM RESET max_slot_wal_keep_size", "SELECT pg_reload_conf()"] {
        try await client.execute(sql)
      }
    }
    try await steps(0...4)
  }

  private mutating func alterPublication(cuts: Bool) async throws {
    guard !tables.isForAll else { return try await steps(1...4) }
    try await workload.finish()
    let table = random.pick(tables.tables)
    try await workload.execute("ALTER PUBLICATION app DROP TABLE \(table.name)")
    if cuts { world.proxy.cutAll() }
    try await steps(0...8)
    try await workload.finish()
    try await workload.execute("ALTER PUBLICATION app ADD TABLE \(table.published)")
    try await steps(0...4)
  }

  private mutating func alterTable(_ fault: Fault) async throws {
    try await steps(0...4)
    try await workload.finish()
    let table = random.pick(tables.tables)
    var (change, back): (String, String?)
    switch fault {
    case .addedColumn: (change, back) = ("ADD COLUMN added int DEFAULT 5", "DROP COLUMN added")
    case .renamedColumn: (change, back) = ("RENAME unmapped TO renamed", "RENAME renamed TO unmapped")
    case .renamedProperty: return try await renameProperty()
    case .alteredType:
      guard let index = table.types.firstIndex(where: { ["int2", "int4"].contains($0) }),
        table.filter == nil, table.columns[index].property != "id"
      else { return try await steps(1...4) }
      (change, back) = ("ALTER \(table.column(index)) TYPE int8", nil)
    default:
      // A row filter and a closure need the full one.
      guard table.filter == nil, !(tables.mapsEventsByClosure && table.name == "events") else {
        return try await steps(1...4)
      }
      (change, back) = ("REPLICA IDENTITY FULL", "REPLICA IDENTITY DEFAULT")
    }
    try await workload.execute("ALTER TABLE \(table.name) \(change)")
    if random.chance(1, in: 3) { world.proxy.cutAll() }
    try await steps(0...8)
    guard let back, random.chance(2, in: 3) || fault == .renamedColumn else { return }
    try await workload.finish()
    try await workload.execute("ALTER TABLE \(table.name) \(back)")
    try await steps(0...4)
  }

  private mutating func renameProperty() async throws {
    let number = random.int(0...tables.tables.count - 1)
    let table = tables.tables[number]
    let index = random.int(1...table.columns.count - 1)
    let column = table.column(index)
    // The row filter of the replica has its name.
    if table.filter != nil && table.columns[index].property == "isActive" { return }
    try await workload.alter("ALTER TABLE \(table.name) RENAME \(column) TO renamed") {
      $0.tables[number].renamed = index
    }
    if random.chance(1, in: 3) { world.proxy.cutAll() }
    try await steps(0...8)
    try await workload.finish()
    try await workload.alter("ALTER TABLE \(table.name) RENAME renamed TO \(column)") {
      $0.tables[number].renamed = nil
    }
    try await steps(0...4)
  }
}
