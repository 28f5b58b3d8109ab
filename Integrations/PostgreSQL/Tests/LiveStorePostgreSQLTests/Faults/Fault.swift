/// What goes wrong while a replica follows.
enum Fault: String, CaseIterable, Sendable {
  /// A connection is cut after some bytes.
  case cut
  /// All connections are cut, and for a while none is accepted.
  case refusal
  /// The network forwards nothing for a while.
  case freeze
  /// The server ends the process that sends the log.
  case termination
  /// All processes of the server are killed.
  case kill
  /// The server is shut down in order and started again.
  case shutDown
  /// The replica's slot is dropped while it is not connected.
  case droppedSlot
  /// The server gives up the slot, since it would hold too much of the log.
  case invalidatedSlot
  /// A table is taken out of the publication and put back.
  case publication
  /// The same, and connections are cut in between.
  case publicationAndCut
  /// A column that is not mapped is added, and dropped.
  case addedColumn
  /// A column that is not mapped is renamed.
  case renamedColumn
  /// A column that is mapped is renamed, and gets its name back.
  case renamedProperty
  /// A column gets a wider type, and the table is written again.
  case alteredType
  /// A table gets another replica identity.
  case alteredIdentity

  /// How often a replica with a durable slot may have to copy the tables again.
  ///
  /// - Parameter readsAll: whether a closure may read all columns of a table.
  func copies(readsAll: Bool) -> Int {
    switch self {
    case .droppedSlot, .invalidatedSlot, .publication, .publicationAndCut, .alteredType: 1
    // There and back.
    case .renamedProperty: 2
    case .addedColumn, .renamedColumn: readsAll ? 2 : 0
    default: 0
    }
  }

  /// Whether it concerns what the replica finds at its next look at the server's catalog.
  var altersDefinitions: Bool {
    switch self {
    case .publication, .publicationAndCut, .alteredType, .renamedProperty, .addedColumn, .renamedColumn: true
    default: false
    }
  }
}
