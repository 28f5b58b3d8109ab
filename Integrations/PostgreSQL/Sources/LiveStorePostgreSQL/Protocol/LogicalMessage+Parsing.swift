extension LogicalMessage {
  /// Parses a message. Its rows share the array.
  ///
  /// - Parameters:
  ///   - bytes: an array that has the message.
  ///   - range: where in the array it is.
  ///   - inStream: whether the message is between `streamStart` and `streamStop`.
  /// - Returns: the message, and within a stream the id of the (sub)transaction that made the change.
  package static func parse(_ bytes: [UInt8], _ range: Range<Int>, inStream: Bool) throws
    -> (xid: UInt32?, message: LogicalMessage)
  {
    var reader = ByteReader(bytes, range)
    let kind = try reader.byte()
    let isChange = isChange(kind)
    let xid = inStream && isChange ? try reader.integer(UInt32.self) : nil
    let message = isChange ? try change(kind, &reader) : try boundary(kind, &reader)
    try reader.finish()
    return (xid, message)
  }

  package static func parse(_ bytes: [UInt8], inStream: Bool) throws -> (
    xid: UInt32?, message: LogicalMessage
  ) {
    try parse(bytes, bytes.indices, inStream: inStream)
  }

  /// Whether messages of a kind have the id of their transaction in streams.
  private static func isChange(_ kind: UInt8) -> Bool {
    switch kind {
    case UInt8(ascii: "I"), UInt8(ascii: "U"), UInt8(ascii: "D"), UInt8(ascii: "R"), UInt8(ascii: "Y"),
      UInt8(ascii: "T"), UInt8(ascii: "M"):
      true
    default: false
    }
  }

  // MARK: Transactions

  private static func boundary(_ kind: UInt8, _ reader: inout ByteReader) throws -> LogicalMessage {
    switch kind {
    case UInt8(ascii: "B"):
      let finalLSN = try reader.position()
      let time = try reader.integer(Int64.self)
      return .begin(finalLSN: finalLSN, commitTime: time, xid: try reader.integer(UInt32.self))
    case UInt8(ascii: "C"):
      let end = try end(&reader)
      return .commit(commitLSN: end.commitLSN, endLSN: end.endLSN, commitTime: end.time)
    case UInt8(ascii: "O"):
      _ = try reader.position()
      return .origin(try reader.string())
    case UInt8(ascii: "S"):
      let xid = try reader.integer(UInt32.self)
      return .streamStart(xid: xid, isFirst: try reader.byte() == 1)
    case UInt8(ascii: "E"):
      return .streamStop
    case UInt8(ascii: "c"):
      let xid = try reader.integer(UInt32.self)
      let end = try end(&reader)
      return .streamCommit(xid: xid, commitLSN: end.commitLSN, endLSN: end.endLSN, commitTime: end.time)
    case UInt8(ascii: "A"):
      let xid = try reader.integer(UInt32.self)
      return .streamAbort(xid: xid, subtransaction: try reader.integer(UInt32.self))
    default:
      throw PostgresError.violation("The server sent an unknown message of kind \(kind).")
    }
  }

  private static func end(_ reader: inout ByteReader) throws
    -> (commitLSN: LogSequenceNumber, endLSN: LogSequenceNumber, time: Int64)
  {
    _ = try reader.byte()  // Flags, of which there are none.
    let commitLSN = try reader.position()
    let endLSN = try reader.position()
    return (commitLSN, endLSN, try reader.integer(Int64.self))
  }

  // MARK: Changes

  private static func change(_ kind: UInt8, _ reader: inout ByteReader) throws -> LogicalMessage {
    switch kind {
    case UInt8(ascii: "I"):
      let relation = try reader.integer(UInt32.self)
      try expectNew(reader.byte())
      return .insert(relation: relation, new: try tuple(&reader))
    case UInt8(ascii: "U"):
      return try update(&reader)
    case UInt8(ascii: "D"):
      let relation = try reader.integer(UInt32.self)
      guard let isFullOld = isFullOld(try reader.byte()) else {
        throw PostgresError.violation("A deletion lacks the row that was deleted.")
      }
      return .delete(relation: relation, old: try tuple(&reader), isFullOld: isFullOld)
    case UInt8(ascii: "R"):
      return .relation(try RelationMessage(&reader))
    case UInt8(ascii: "Y"):
      let id = try reader.integer(UInt32.self)
      let namespace = try reader.string()
      return .type(id: id, namespace: namespace, name: try reader.string())
    case UInt8(ascii: "T"):
      return try truncate(&reader)
    default:
      return try message(&reader)
    }
  }

  private static func expectNew(_ kind: UInt8) throws {
    if kind != UInt8(ascii: "N") {
      throw PostgresError.violation("A change lacks the new row.")
    }
  }

  /// Whether a row that is no longer has all its columns; nil if the byte announces no such row.
  private static func isFullOld(_ kind: UInt8) -> Bool? {
    switch kind {
    case UInt8(ascii: "O"): true
    case UInt8(ascii: "K"): false
    default: nil
    }
  }

  private static func update(_ reader: inout ByteReader) throws -> LogicalMessage {
    let relation = try reader.integer(UInt32.self)
    let kind = try reader.byte()
    guard let isFullOld = isFullOld(kind) else {
      try expectNew(kind)
      return .update(relation: relation, old: nil, isFullOld: false, new: try tuple(&reader))
    }
    let old = try tuple(&reader)
    try expectNew(reader.byte())
    let new = try tuple(&reader)
    guard old.count == new.count else {
      throw PostgresError.violation(
        "A row has \(old.count) columns before a change and \(new.count) after it.")
    }
    return .update(
      relation: relation, old: old, isFullOld: isFullOld, new: filled(new, from: old, isFullOld))
  }

  /// A new row with the values that were left out of it, as far as the old row has them.
  ///
  /// The columns of a replica identity are never null, so a null in an old row that is not full says nothing.
  private static func filled(_ new: TupleData, from old: TupleData, _ isFullOld: Bool) -> TupleData {
    guard new.hasUnchanged else { return new }
    let fields = (0..<new.count).map { column in
      let isKnown = isFullOld || old[column].form != .null
      return new[column].form == .unchanged && isKnown ? old[column] : new[column]
    }
    return TupleData(bytes: new.bytes, fields: fields)
  }

  private static func tuple(_ reader: inout ByteReader) throws -> TupleData {
    let count = try reader.integer(Int16.self)
    // Each column has one byte at least.
    guard count >= 0, count <= reader.remaining else {
      throw PostgresError.violation("A row has \(count) columns, which its message is too short for.")
    }
    var fields: [TupleData.Field] = []
    fields.reserveCapacity(Int(count))
    for _ in 0..<count {
      switch try reader.byte() {
      case UInt8(ascii: "n"): fields.append(.null)
      case UInt8(ascii: "u"): fields.append(.unchanged)
      case UInt8(ascii: "t"):
        fields.append(TupleData.Field(.text, try reader.skip(reader.integer(Int32.self))))
      case UInt8(ascii: "b"):
        fields.append(TupleData.Field(.binary, try reader.skip(reader.integer(Int32.self))))
      case let kind:
        throw PostgresError.violation("A row has a value of the unknown kind \(kind).")
      }
    }
    return TupleData(bytes: reader.bytes, fields: fields)
  }

  private static func truncate(_ reader: inout ByteReader) throws -> LogicalMessage {
    let count = try reader.integer(Int32.self)
    let options = TruncateOptions(rawValue: try reader.byte())
    guard count >= 0, Int(count) <= reader.remaining / 4 else {
      throw PostgresError.violation("A message of the server ends too early.")
    }
    var relations: [UInt32] = []
    for _ in 0..<count { relations.append(try reader.integer(UInt32.self)) }
    return .truncate(relations: relations, options: options)
  }

  private static func message(_ reader: inout ByteReader) throws -> LogicalMessage {
    let flags = try reader.byte()
    let lsn = try reader.position()
    let prefix = try reader.string()
    let content = try reader.skip(reader.integer(Int32.self))
    return .message(
      prefix: prefix, content: Array(reader.bytes[content]), lsn: lsn, isTransactional: flags & 1 != 0)
  }
}
