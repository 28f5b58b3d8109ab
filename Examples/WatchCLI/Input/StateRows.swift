import LiveStore

/// A step of a stream: messages that are applied together.
struct StateStep {
  var messages: [StateMessage] = []
  /// Whether the messages are all objects there are, and whether that has been said to its end.
  var (isWhole, isComplete) = (false, false)
  /// Whether what was there is forgotten before.
  var isReset = false
  var rowCount: Int?
  /// Where it begins.
  var line = 0

  var isEmpty: Bool { messages.isEmpty && !isWhole && !isReset }
}

/// The objects of a stream in the State Protocol, in their order, and the step that is read. All files that are read share one.
///
/// A step is complete when another begins, and at the end of an event or an array; a snapshot is so at its own end.
package final class StateRows {
  /// What has been read when steps are asked for.
  enum TextPlace { case withinPart, endOfPart, endOfText }

  /// The objects that have an index, in order.
  private var rows: [(key: String, place: StreamPlace)] = []
  /// The type of each object, by its key.
  private var types: [String: String] = [:]
  private var pending = StateStep()
  private var complete: [StateStep] = []

  /// Takes in a message.
  func add(_ message: StateMessage, line: Int) {
    if !pending.isWhole, message.txid == nil || message.txid != pending.messages.first?.txid { endStep() }
    if pending.isEmpty { pending.line = line }
    pending.messages.append(message)
    if message.txid == nil, !pending.isWhole { endStep() }
  }

  /// Takes in a mark.
  func add(_ mark: StateMark, line: Int) {
    switch mark.control {
    case .snapshotStart, .reset:
      // A snapshot that was not complete begins again.
      if pending.isWhole { pending = StateStep() }
      if !pending.messages.isEmpty { endStep() }
      if pending.isEmpty { pending.line = line }
      if mark.control == .reset { pending.isReset = true } else { pending.isWhole = true }
    case .snapshotEnd:
      guard pending.isWhole else { return }
      (pending.isComplete, pending.rowCount) = (true, mark.rowCount)
      endStep()
    }
  }

  private func endStep() {
    if !pending.isEmpty { complete.append(pending) }
    pending = StateStep()
  }

  /// The steps that are complete, each once.
  func steps(to place: TextPlace, line: Int) -> [StateStep] {
    if place == .endOfText || place == .endOfPart && !pending.isWhole { endStep() }
    defer { complete = [] }
    return complete
  }

  /// Where an object stands after a step; nil if that is not known.
  func place(of message: StateMessage) -> StreamPlace? {
    message.index.flatMap { rows.indices.contains($0) && rows[$0].key == message.key ? rows[$0].place : nil }
  }

  /// Takes in a step.
  ///
  /// - Returns: the messages that can be applied, and why others cannot.
  /// - Complexity: O(objects with an index + messages), O(messages) for those without.
  func apply(_ step: StateStep) -> (messages: [StateMessage], mistakes: [String]) {
    if step.isWhole || step.isReset { (rows, types) = ([], [:]) }
    var (messages, mistakes): ([StateMessage], [String]) = ([], [])
    for message in step.messages {
      if let reason = mistake(in: message) { mistakes.append(reason) } else { messages.append(message) }
    }
    let left = Set(messages.compactMap(\.from))
    if !left.isEmpty { rows = rows.indices.filter { !left.contains($0) }.map { rows[$0] } }
    let put = messages.filter { $0.index != nil && ($0.operation == .insert || $0.from != nil) }
    insert(put.sorted { ($0.index ?? 0) < ($1.index ?? 0) }, &mistakes)
    if let count = step.rowCount, count != step.messages.count {
      mistakes.append("the snapshot has \(step.messages.count) objects, and \(count) at the server")
    }
    return (messages, mistakes)
  }

  /// Why a message does not fit what is there; otherwise takes in the type of its object.
  private func mistake(in message: StateMessage) -> String? {
    if let from = message.from, !rows.indices.contains(from) || rows[from].key != message.key {
      return "the object \(JSONValue.string(message.key)) is not at \(from), where it is taken from"
    }
    if let type = types[message.key], type != message.type {
      let names = [type, message.type].map { "\(JSONValue.string($0))" }.joined(separator: " and ")
      return "the key \(JSONValue.string(message.key)) is of two types, \(names); --type selects one"
    }
    types[message.key] = message.operation == .delete ? nil : message.type
    return nil
  }

  private func insert(_ messages: [StateMessage], _ mistakes: inout [String]) {
    guard !messages.isEmpty else { return }
    var (result, rest) = ([(key: String, place: StreamPlace)](), rows[...])
    result.reserveCapacity(rows.count + messages.count)
    for message in messages {
      let gap = (message.index ?? 0) - result.count
      if gap < 0 || gap > rest.count {
        mistakes.append(
          "the object \(JSONValue.string(message.key)) is put at \(message.index ?? 0) of "
            + "\(result.count + rest.count) objects")
      }
      result += rest.prefix(max(0, gap))
      rest = rest.dropFirst(max(0, gap))
      result.append((message.key, StreamPlace(between: result.last?.place, and: rest.first?.place)))
    }
    rows = result + rest
  }
}
