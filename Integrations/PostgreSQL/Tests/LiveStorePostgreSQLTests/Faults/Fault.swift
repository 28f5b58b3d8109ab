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

  /// Whether a replica with a durable slot may have to copy the tables again.
  var needsCopy: Bool {
    switch self {
    case .droppedSlot, .invalidatedSlot, .publication, .publicationAndCut, .renamedProperty: true
    default: false
    }
  }
}
