/// The description of a table, which precedes its first change in a stream and each one after a change of its columns.
package struct RelationMessage: Sendable, Equatable {
  package struct Column: Sendable, Equatable {
    let name: String
    /// Whether the column is part of the replica identity.
    let isKey: Bool
    let typeID: UInt32
    let modifier: Int32

    package init(name: String, isKey: Bool, typeID: UInt32, modifier: Int32) {
      (self.name, self.isKey, self.typeID, self.modifier) = (name, isKey, typeID, modifier)
    }
  }

  let id: UInt32
  let namespace: String
  let name: String
  /// `d` (primary key), `n` (nothing), `f` (full) or `i` (index).
  let replicaIdentity: UInt8
  let columns: [Column]

  package init(id: UInt32, namespace: String, name: String, replicaIdentity: UInt8, columns: [Column]) {
    (self.id, self.namespace, self.name) = (id, namespace, name)
    (self.replicaIdentity, self.columns) = (replicaIdentity, columns)
  }

  init(_ reader: inout ByteReader) throws {
    id = try reader.integer(UInt32.self)
    let schema = try reader.string()
    // The protocol abbreviates the name of the system's schema.
    namespace = schema.isEmpty ? "pg_catalog" : schema
    name = try reader.string()
    try Self.requireName(namespace)
    try Self.requireName(name)
    replicaIdentity = try reader.byte()
    guard
      [UInt8(ascii: "d"), UInt8(ascii: "n"), UInt8(ascii: "f"), UInt8(ascii: "i")].contains(replicaIdentity)
    else {
      throw PostgresError.violation("Table \(namespace).\(name) has an unknown replica identity.")
    }
    let count = try reader.integer(Int16.self)
    guard count >= 0 else {
      throw PostgresError.violation("Table \(namespace).\(name) has \(count) columns.")
    }
    var columns: [Column] = []
    for _ in 0..<count {
      let flags = try reader.byte()
      let name = try reader.string()
      try Self.requireName(name)
      let typeID = try reader.integer(UInt32.self)
      let modifier = try reader.integer(Int32.self)
      columns.append(Column(name: name, isKey: flags & 1 != 0, typeID: typeID, modifier: modifier))
    }
    self.columns = columns
  }

  /// - Throws: `protocolViolation` for a name longer than any that a server has, of 63 bytes unless it was built for others.
  private static func requireName(_ name: String) throws {
    if name.utf8.count > 1_024 {
      throw PostgresError.violation("A table or a column has a name of \(name.utf8.count) bytes.")
    }
  }
}
