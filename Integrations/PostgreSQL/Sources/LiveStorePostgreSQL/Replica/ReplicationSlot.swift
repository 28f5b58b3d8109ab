/// What the server keeps for a replica, so that it can go on where it was.
public enum ReplicationSlot: Sendable, Hashable {
  /// A slot that ends with the connection, so that nothing is left behind. After a lost connection, the tables are copied
  /// again; observers get the differences.
  case temporary
  /// A slot that outlives the connection: after a lost connection the replica goes on without a copy.
  ///
  /// While no replica reads it, the server keeps its log for the slot, until the disk is full: set
  /// `max_slot_wal_keep_size`, and drop the slot when it is no longer needed (``PostgresReplica/dropSlot()``). A slot feeds
  /// one replica at a time.
  /// - Parameter name: lower-case letters, digits and underscores, at most 63.
  case durable(name: String)

  /// The name of a durable slot.
  var name: String? {
    if case .durable(let name) = self { name } else { nil }
  }

  /// - Throws: `slotMissing` if the name is none that a slot can have.
  func check() throws {
    guard let name else { return }
    let isValid =
      !name.isEmpty && name.utf8.count <= 63
      && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    if isValid { return }
    throw PostgresError(
      PostgresError.slotMissing,
      "'\(name)' is no name of a replication slot: it has lower-case letters, digits and underscores, at most 63."
    )
  }
}
