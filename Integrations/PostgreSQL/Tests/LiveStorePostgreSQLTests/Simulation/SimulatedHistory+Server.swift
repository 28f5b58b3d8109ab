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
    let rows = try await client.execute(
      """
      SELECT encode(data, 'hex') FROM pg_logical_slot_get_binary_changes('\(slot)', NULL, NULL,
        'proto_version', '1', 'publication_names', 'app')
      """
    ).rows
    let decoder = SimulatedDecoder(self, from: Self.start, SimulatedDecoder.Options(), SplitMix64(seed: 0))
    return (
      try Self.texts(rows.map { bytes(hexadecimal: $0[0] ?? "") }),
      try Self.texts(
        decoder.messages.compactMap { if case .data(let bytes, _) = $0 { bytes } else { nil } })
    )
  }

  /// The messages without numbers of transactions, tables and positions. A description that says nothing new is left out: the
  /// server sends one after each truncation, too.
  private static func texts(_ messages: [[UInt8]]) throws -> [String] {
    var names: [UInt32: String] = [:]
    func text(_ tuple: TupleData) -> String {
      tuple.fields.indices.map { column in
        "\(tuple[column].form) \(String(decoding: tuple.value(column), as: UTF8.self))"
      }.joined(separator: ", ")
    }
    func text(_ bytes: [UInt8]) throws -> String? {
      switch try LogicalMessage.parse(bytes, inStream: false).message {
      case .relation:
        // After the kind and the number come the names, the replica identity and the columns.
        let number = bytes[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
        let text = bytes[5...].map { String($0, radix: 16) }.joined(separator: " ")
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
    return try messages.compactMap(text)
  }
}
