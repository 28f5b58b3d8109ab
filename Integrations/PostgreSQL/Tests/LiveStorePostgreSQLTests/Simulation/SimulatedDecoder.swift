import PostgreSQLTestSupport

/// What a server sends of a log to a replica that has all before a position, as `pgoutput` of PostgreSQL 15 does with
/// version 2 of its protocol.
///
/// A transaction is sent at its end, or, at random, streamed in blocks while it runs, between those of others. Without the
/// option `two_phase` a prepared transaction is sent as any other when it is committed.
struct SimulatedDecoder {
  /// A message within a frame of the replication stream.
  enum Message {
    case data([UInt8], at: UInt64)
    /// - Parameter end: up to where the log was read.
    case keepalive(end: UInt64, asksForAnswer: Bool)
  }

  /// What a server does in one way or another.
  struct Options {
    /// Whether values are in binary form.
    var isBinary = false
    /// Of ten changes, after how many transactions are streamed.
    var streaming = 0
    /// Whether transactions without changes are sent, as by PostgreSQL 14.
    var sendsEmpty = false
    /// Of ten messages, how many have one of another kind beside them.
    var others = 0
  }

  /// A transaction that has not ended.
  private struct Open {
    var changes: [(subtransaction: UInt32, shape: SimulatedShape, change: SimulatedHistory.Change)] = []
    var isStreamed = false
    /// The subtransactions of which changes were streamed.
    var streamed: Set<UInt32> = []
    /// The descriptions that were sent with it, by the tables.
    var described: [SimulatedTable: SimulatedShape] = [:]
  }

  private(set) var messages: [Message] = []
  /// The ends of the transactions that are sent, in their order.
  private(set) var commits: [UInt64] = []
  private let options: Options
  private var random: SplitMix64
  private var open: [UInt32: Open] = [:]
  private var described: [SimulatedTable: SimulatedShape] = [:]
  /// Up to where the log was read.
  private var end: UInt64

  /// - Parameter start: what is committed before it is not sent.
  init(_ history: SimulatedHistory, from start: UInt64, _ options: Options, _ random: SplitMix64) {
    (self.options, self.random, end) = (options, random, start)
    for record in history.records { decode(record, from: start) }
    messages.append(.keepalive(end: end, asksForAnswer: true))
  }

  private mutating func decode(_ record: SimulatedHistory.Record, from start: UInt64) {
    let (xid, position) = (record.xid, record.position)
    let isSent = position >= start
    switch record.kind {
    case .change(let subtransaction, let shape, let change):
      open[xid, default: Open()].changes.append((subtransaction, shape, change))
      if isSent, random.chance(options.streaming, in: 10) { stream(xid, position) }
    case .rollBackTo(let subtransactions):
      open[xid]?.changes.removeAll { subtransactions.contains($0.subtransaction) }
      for subtransaction in subtransactions where open[xid]?.streamed.remove(subtransaction) != nil {
        abort(xid, subtransaction, position)
      }
    case .rollBack:
      if open.removeValue(forKey: xid)?.isStreamed == true { abort(xid, xid, position) }
    case .commit:
      if isSent { commit(xid, record) }
      open[xid] = nil
    case .other: break
    }
    end = max(end, record.end)
    if isSent, random.chance(options.others, in: 20) || options.others > 0 && record.xid == 0 { keepalive() }
  }

  private mutating func keepalive() {
    messages.append(.keepalive(end: end, asksForAnswer: random.chance(1, in: 3)))
  }

  private mutating func commit(_ xid: UInt32, _ record: SimulatedHistory.Record) {
    let transaction = open[xid] ?? Open()
    if transaction.isStreamed {
      stream(xid, record.position)
      described.merge(open[xid]?.described ?? [:]) { $1 }
      var message = MessageWriter("c")
      message.add(xid)
      finish(message, record)
    } else if options.sendsEmpty || !transaction.changes.isEmpty {
      var begin = MessageWriter("B")
      begin.add(record.position)
      begin.add(Int64(0))
      begin.add(xid)
      send(begin, record.position)
      for change in transaction.changes { send(change.shape, change.change, nil, xid, record.position) }
      finish(MessageWriter("C"), record)
    }
  }

  private mutating func finish(_ message: MessageWriter, _ record: SimulatedHistory.Record) {
    var message = message
    message.add(UInt8(0))
    message.add(record.position)
    message.add(record.end)
    message.add(Int64(0))
    commits.append(record.end)
    send(message, record.end)
  }

  /// Sends what has come of a transaction.
  private mutating func stream(_ xid: UInt32, _ position: UInt64) {
    guard let transaction = open[xid], !transaction.changes.isEmpty else { return }
    var start = MessageWriter("S")
    start.add(xid)
    start.add(UInt8(transaction.isStreamed ? 0 : 1))
    send(start, position)
    for change in transaction.changes {
      send(change.shape, change.change, change.subtransaction, xid, position)
      open[xid]?.streamed.insert(change.subtransaction)
    }
    open[xid]?.isStreamed = true
    open[xid]?.changes = []
    send(MessageWriter("E"), position)
  }

  private mutating func abort(_ xid: UInt32, _ subtransaction: UInt32, _ position: UInt64) {
    var message = MessageWriter("A")
    message.add(xid)
    message.add(subtransaction)
    send(message, position)
  }

  /// - Parameter subtransaction: the number of the (sub)transaction, in a stream.
  private mutating func send(
    _ shape: SimulatedShape, _ change: SimulatedHistory.Change, _ subtransaction: UInt32?, _ xid: UInt32,
    _ position: UInt64
  ) {
    let isDescribed =
      subtransaction == nil ? described[shape.table] == shape : open[xid]?.described[shape.table] == shape
    // A server describes a table again after anything that may have changed it.
    if random.chance(options.others, in: 60)
      || !isDescribed && (subtransaction == nil || described[shape.table] != shape)
    {
      if subtransaction == nil {
        described[shape.table] = shape
      } else {
        open[xid]?.described[shape.table] = shape
      }
      send(shape.description(subtransaction), position)
    }
    send(message(shape, change, subtransaction), position)
    if random.chance(options.others, in: 20) { keepalive() }
    if random.chance(options.others, in: 40) { sendOther(subtransaction, position) }
  }

  private func message(
    _ shape: SimulatedShape, _ change: SimulatedHistory.Change, _ subtransaction: UInt32?
  ) -> MessageWriter {
    let kind: Unicode.Scalar =
      switch change {
      case .insert: "I"
      case .update: "U"
      case .delete: "D"
      case .truncate: "T"
      }
    var message = MessageWriter(kind)
    if let subtransaction { message.add(subtransaction) }
    if case .truncate = change {
      message.add(UInt32(1))
      message.add(UInt8(0))
    }
    message.add(shape.table.relation)
    func addOld(_ key: Int, _ row: SimulatedRow) {
      message.add((shape.identity == "f" ? "O" : "K") as Character)
      message.add(shape.oldValues(key, row), isBinary: options.isBinary)
    }
    func addNew(_ values: [SimulatedValue]) {
      message.add("N" as Character)
      message.add(values, isBinary: options.isBinary)
    }
    switch change {
    case .insert(let key, let row): addNew(shape.values(key, row))
    case .update(let key, let old, let newKey, let new, let setsBody):
      if shape.identity == "f" || shape.oldValues(key, old) != shape.oldValues(newKey, new) {
        addOld(key, old)
      }
      addNew(
        new.isLarge && !setsBody ? shape.newValues(newKey, new) : shape.values(newKey, new))
    case .delete(let key, let row): addOld(key, row)
    case .truncate: break
    }
    return message
  }

  /// Sends a change of a table that is not followed, a type, an origin or an application's message.
  private mutating func sendOther(_ subtransaction: UInt32?, _ position: UInt64) {
    let kind = random.pick(["I", "R", "Y", "M"] as [Unicode.Scalar])
    var message = MessageWriter(kind)
    if let subtransaction { message.add(subtransaction) }
    switch kind {
    case "I":
      message.add(UInt32(99))
      message.add("N" as Character)
      message.add([.int4(1)], isBinary: options.isBinary)
    case "R":
      message.add(UInt32(99))
      for text in ["public", "noise"] { message.add(text) }
      message.add("n" as Character)
      message.add(Int16(0))
    case "Y":
      message.add(UInt32(99))
      for text in ["public", "mood"] { message.add(text) }
    default:
      message.add(UInt8(1))
      message.add(position)
      message.add("app")
      message.add(Int32(0))
    }
    send(message, position)
  }

  private mutating func send(_ message: MessageWriter, _ position: UInt64) {
    messages.append(.data(message.bytes, at: position))
  }
}
