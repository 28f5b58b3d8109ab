import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport

/// A replica of a simulated server: its parsers, spools, readers and stores, without a socket and without a clock.
///
/// At each message and each status update the store has what the tables had at the position of the replica, as far as the
/// policies for rows that it cannot hold let it, so it is at one commit after the other, and none is confirmed that it does not
/// have. No table is stopped for a row that it no longer has. Each transaction comes once, over all connections.
struct Simulation {
  private let history: SimulatedHistory
  private var random: SplitMix64
  private let tables: [any ReplicatedTable]
  private let engine: ReplicaEngine
  private let options: SimulatedDecoder.Options
  private var model: SimulatedPolicies
  private(set) var transactions = 0
  private(set) var connections = 0

  init(_ seed: UInt64) throws {
    history = SimulatedHistory(seed, large: 200)
    random = SplitMix64(seed: seed ^ 0x5EED)
    let model = SimulatedPolicies(&random)
    tables = try SimulatedTable.allCases.map { try $0.followed(model.policies[$0.rawValue]) }
    self.model = model
    var settings = PostgresReplica.Options()
    // Nothing is asked of a server beside the stream.
    settings.statusInterval = .seconds(86_400)
    settings.transactionMemory = random.pick([0, 300, 4 << 20])
    options = SimulatedDecoder.Options(
      isBinary: random.chance(1, in: 2), streaming: random.pick([0, 1, 5, 10]),
      sendsEmpty: random.chance(1, in: 2), others: random.pick([0, 2, 10]))
    let source = ReplicaSource(
      connectionString: "", publication: "app", slot: .temporary, tables: tables, locals: [],
      options: settings)
    engine = try ReplicaEngine(source, try Store(NumberedRow.self, NamedRow.self, TokenRow.self))
  }

  mutating func run() async throws {
    let loop = ReplicaLoop(engine)
    let second = random.chance(1, in: 5) ? try await engine.addStore() : nil
    let stores = [engine.store] + (second.map { [$0] } ?? [])
    var isCopied = false
    // Up to where the log is written.
    var present = random.pick([SimulatedHistory.start, random.pick(history.records).position])
    while true {
      if !isCopied || random.chance(1, in: 3) {
        try await copy(at: present, loop)
        isCopied = true
      }
      let start = loop.position?.rawValue ?? 0
      connections += 1
      let decoder = SimulatedDecoder(history, from: start, options, random.fork())
      let before = engine.status.transactions
      let (history, engine) = (history, engine)
      var expected = model
      let stream = SimulatedStream(
        decoder.messages, from: start, isCut: connections < 6 && random.chance(3, in: 4), random.fork()
      ) { confirmed in
        let position = loop.position?.rawValue ?? 0
        try require(confirmed ?? position == position, "\(confirmed ?? 0) was confirmed at \(position)")
        let current = history.contents(at: position)
        expected.follow(history, to: position)
        for store in stores {
          let found = SimulatedContents(of: store.snapshot())
          try require(
            found == expected.contents,
            "at \(position) the store has\n\(found)\nin place of\n\(expected.contents)\nand the tables\n\(current)"
          )
        }
        let leftOut = engine.status.leftOutCount
        try require(
          leftOut == expected.leftOutCount,
          "at \(position) \(leftOut) rows are left out in place of \(expected.leftOutCount) of\n\(current)")
        let stopped = Set(engine.status.stoppedTables.keys)
        try require(
          stopped == expected.stoppedTables && expected.isJustified(by: current),
          "at \(position) \(stopped) are stopped in place of \(expected.stoppedTables), and the tables have\n\(current)"
        )
      }
      do {
        try await ReplicationStream(loop, stream).run()
      } catch {
        let position = loop.position?.rawValue ?? 0
        model.follow(history, to: position)
        // A row was changed for which a table is stopped, or one that is left out.
        isCopied = (error as? PostgresError)?.code != .mismatch
        if isCopied, !(error is SimulatedStream.End) { throw error }
        let ended = decoder.commits.filter { $0 <= position }.count
        let applied = engine.status.transactions - before
        try require(
          applied == ended, "\(applied) transactions were applied, and \(ended) end before \(position)")
        transactions += applied
        present = max(present, stream.position)
        // More may have been committed before the next connection.
        if random.chance(1, in: 2) { present = max(present, random.pick(history.records).end) }
        if !isCopied || (error as? SimulatedStream.End) == .cut { continue }
        return try require(
          position == history.records.last?.end, "the stream has ended, and the replica is at \(position)")
      }
    }
  }

  /// Copies the tables as they are at a position, from which the stream goes on.
  private mutating func copy(at position: UInt64, _ loop: ReplicaLoop) async throws {
    model.copy(history, at: position)
    let contents = history.contents(at: position)
    var refusals: [RefusedRow] = []
    let readers = try SimulatedTable.allCases.map { table in
      let shape = history.shapes[table.rawValue]
      let reader = try tables[table.rawValue].makeReader(RowLayout(shape.relation, TypeCatalog()))
      loop.tables[table.relation] = FollowedTable(table: tables[table.rawValue], relation: shape.relation)
      return reader
    }
    try await engine.compare(readers)
    for (table, reader) in zip(SimulatedTable.allCases, readers) {
      let shape = history.shapes[table.rawValue]
      let rows = contents.tables[table.rawValue].sorted { $0.key < $1.key }.map { shape.values($0, $1) }
      do {
        try loop.refusing(table.relation, reader) {
          try copy(rows, of: shape, to: reader)
          try reader.checkStaged()
        }
      } catch let row as RefusedRow {
        refusals.append(row)
      }
    }
    let copies = zip(SimulatedTable.allCases.map(\.relation), readers)
    try await loop.take(Array(copies), refusals, isDecided: { _ in false })
    loop.begin(at: LogSequenceNumber(rawValue: position))
  }

  private mutating func copy(
    _ rows: [[SimulatedValue]], of shape: SimulatedShape, to reader: any RowReader
  ) throws {
    let count = shape.columnCount
    if random.chance(1, in: 2) {
      var parser = CopyTextParser(columnCount: count, table: shape.table.name)
      for piece in pieces(rows.flatMap(Self.line)) {
        parser.append(piece)
        try reader.stage(try parser.takeRows())
      }
      try parser.finish()
    } else {
      var parser = CopyBinaryParser(columnCount: count, table: shape.table.name)
      for piece in pieces(Self.binary(rows)) {
        parser.append(piece)
        try reader.stage(try parser.takeRows())
      }
      try parser.finish()
    }
  }

  /// Cuts bytes anywhere.
  private mutating func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let cuts = ([0, bytes.count] + (0..<random.int(0...5)).map { _ in random.int(0...bytes.count) }).sorted()
    return zip(cuts, cuts.dropFirst()).map { bytes[$0..<$1] }
  }

  /// A row of a copy in text form.
  private static func line(_ row: [SimulatedValue]) -> [UInt8] {
    let fields = row.map { value in
      value == .null
        ? "\\N"
        : value.text.replacing("\\", with: "\\\\").replacing("\t", with: "\\t").replacing("\n", with: "\\n")
    }
    return Array("\(fields.joined(separator: "\t"))\n".utf8)
  }

  /// A copy in binary form.
  private static func binary(_ rows: [[SimulatedValue]]) -> [UInt8] {
    var copy = MessageWriter("P")
    for byte in Array("GCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] { copy.add(byte) }
    copy.add(UInt64(0))
    for row in rows {
      copy.add(Int16(row.count))
      for value in row {
        let bytes = value == .null ? [] : value.bytes(isBinary: true)
        copy.add(value == .null ? -1 : Int32(bytes.count))
        for byte in bytes { copy.add(byte) }
      }
    }
    copy.add(Int16(-1))
    return copy.bytes
  }
}
