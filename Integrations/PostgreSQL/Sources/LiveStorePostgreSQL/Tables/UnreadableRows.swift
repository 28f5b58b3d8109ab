/// What a replica does about a row that its entity cannot hold: one with a value that its property cannot be, as `Infinity`
/// where a `Decimal` is, or a case that an enumeration of the program does not have.
///
/// At the start, such a row is an error of ``PostgresReplica/start(_:publication:slot:options:progress:_:)``, unless it is
/// left out.
public enum UnreadableRows: Sendable, Hashable {
  /// The table stops, and all others go on. Its objects stay as they were before the transaction that has the row, and
  /// ``ReplicaStatus/stoppedTables`` says why. When the row is mended at the server, the tables are copied again.
  case stopTable
  /// There is no object of the row until it can be read, and ``ReplicaStatus/leftOutRows`` lists it. A row whose id cannot be
  /// read, and two rows of one id, stop the table.
  case leaveOut
  /// All tables stop. When the row is mended at the server, they are copied again.
  case stopReplica
}
