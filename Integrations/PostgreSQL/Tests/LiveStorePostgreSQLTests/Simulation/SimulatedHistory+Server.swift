import LiveStorePostgreSQL
import PostgreSQLTestSupport

extension SimulatedHistory {
  /// Makes the tables, in place of those of an earlier history.
  func create(in database: TestDatabase) async throws {
    let client = try await database.connect()
    try await client.execute(
      "DROP PUBLICATION IF EXISTS app; DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    for statement in setup { try await client.execute(statement) }
  }

  /// The messages that a server sends of a slot, and those that the simulation sends, as texts that are comparable.
  func messages(of slot: String, _ client: SQLClient) async throws -> (server: [String], simulated: [String])
  {
    let server = try await Self.data(of: slot, client, "'proto_version', '1'")
    return (try Self.texts(server), try Self.texts(simulatedBytes(SimulatedDecoder.Options())))
  }

  /// What a server sends of a slot of each transaction that makes changes, in the order of commits, where it streams large ones,
  /// and what the simulation sends that streams all; nil for those that are not streamed.
  func streams(of slot: String, _ client: SQLClient) async throws -> (
    server: [[String]?], simulated: [[String]?]
  ) {
    let server = try await Self.data(of: slot, client, "'proto_version', '2', 'streaming', 'on'")
    return (
      try Self.streams(server), try Self.streams(simulatedBytes(SimulatedDecoder.Options(streaming: 10)))
    )
  }

  private static func data(of slot: String, _ client: SQLClient, _ options: String) async throws -> [[UInt8]]
  {
    try await client.execute(
      """
      SELECT encode(data, 'hex') FROM pg_logical_slot_get_binary_changes('\(slot)', NULL, NULL, \(options),
        'publication_names', 'app')
      """
    ).rows.map { bytes(hexadecimal: $0[0] ?? "") }
  }

  private func simulatedBytes(_ options: SimulatedDecoder.Options) -> [[UInt8]] {
    SimulatedDecoder(self, from: Self.start, options, SplitMix64(seed: 0)).messages.compactMap {
      if case .data(let bytes, _) = $0 { bytes } else { nil }
    }
  }

  /// The messages without numbers of transactions, tables and positions. A description that says nothing new is left out: the
  /// server sends one after each truncation, too.
  private static func texts(_ messages: [[UInt8]]) throws -> [String] {
    var texts = MessageTexts()
    return try messages.compactMap { try texts.text($0, inStream: false) }
  }

  /// The changes that remain of each transaction, without descriptions of tables, each with the number of its subtransaction
  /// within the transaction.
  private static func streams(_ messages: [[UInt8]]) throws -> [[String]?] {
    var (texts, result, stream) = (MessageTexts(), [[String]?](), UInt32?.none)
    var open: [UInt32: [(xid: UInt32, text: String)]] = [:]
    for message in messages {
      switch try LogicalMessage.parse(message, inStream: stream != nil) {
      case (_, .streamStart(let xid, let isFirst)):
        try require(isFirst == (open[xid] == nil), "a first block of \(xid) is not the first, or not marked")
        open[xid, default: []] += []
        stream = xid
      case (_, .streamStop): stream = nil
      case (_, .streamAbort(let xid, let subtransaction)):
        open[xid]?.removeAll { $0.xid == subtransaction }
        if xid == subtransaction { open[xid] = nil }
      case (_, .streamCommit(let xid, _, _, _)):
        let changes = open.removeValue(forKey: xid) ?? []
        var numbers: [UInt32: Int] = [:]
        for change in changes where numbers[change.xid] == nil { numbers[change.xid] = numbers.count }
        if !changes.isEmpty { result.append(changes.map { "\(numbers[$0.xid] ?? 0) \($0.text)" }) }
      case (_, .commit): result.append(nil)
      case (let xid, let parsed):
        let text = try texts.text(message, inStream: stream != nil)
        if case .relation = parsed { continue }
        if let stream, let xid, let text { open[stream]?.append((xid, text)) }
      }
    }
    return result
  }
}

/// Writes messages as texts.
private struct MessageTexts {
  /// The descriptions of the tables, by their numbers.
  private var names: [UInt32: String] = [:]

  /// - Returns: nil for a description that says nothing new.
  mutating func text(_ bytes: [UInt8], inStream: Bool) throws -> String? {
    switch try LogicalMessage.parse(bytes, inStream: inStream).message {
    case .relation:
      // After the kind and the numbers come the names, the replica identity and the columns.
      let start = inStream ? 5 : 1
      let number = bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
      let text = bytes[(start + 4)...].map { String($0, radix: 16) }.joined(separator: " ")
      return names.updateValue(text, forKey: number) == text ? nil : "relation \(text)"
    case .insert(let relation, let new): return "insert \(names[relation] ?? "") \(text(new))"
    case .update(let relation, let old, let isFull, let new):
      return "update \(names[relation] ?? "") \(isFull) \(old.map(text) ?? "-") \(text(new))"
    case .delete(let relation, let old, let isFull):
      return "delete \(names[relation] ?? "") \(isFull) \(text(old))"
    case .truncate(let relations, let options):
      return "truncate \(relations.map { names[$0] ?? "" }) \(options.rawValue)"
    case .begin: return "begin"
    case .commit: return "commit"
    case let other: return "\(other)"
    }
  }

  private func text(_ tuple: TupleData) -> String {
    tuple.fields.indices.map { column in
      "\(tuple[column].form) \(String(decoding: tuple.value(column), as: UTF8.self))"
    }.joined(separator: ", ")
  }
}
