import LiveStore

// Streams in the State Protocol.
extension DocumentReader {
  /// Takes in a message, which is applied with the others of its step.
  func add(_ line: JSONValue, line number: Int) throws(Mistake) {
    do throws(Envelope.Mistake) {
      switch try StateMessage.content(of: line) {
      case .message(let message) where rules.type == nil || message.type == rules.type:
        tracker.state.add(message, line: number)
      case .mark(let mark): tracker.state.add(mark, line: number)
      default: break
      }
    } catch {
      throw .line(error.reason)
    }
  }

  /// Appends what a step changes.
  mutating func apply(_ step: StateStep, _ changes: inout [InputChange]) throws(Mistake) {
    if step.isWhole, !step.isComplete { throw .line("the snapshot does not end") }
    let (messages, mistakes) = tracker.state.apply(step)
    if step.isWhole || step.isReset, !rules.key.isLine {
      changes.append(.removeAll(but: Set(messages.map { JSONValue.string($0.key) })))
    }
    for message in messages {
      let id = rules.key.isLine ? JSONValue(number) : .string(message.key)
      guard message.operation != .delete else {
        if !rules.key.isLine { changes.append(.remove(Document(id: id, body: .null))) }
        continue
      }
      let place = tracker.state.place(of: message)?.text
      try put(Document(id: id, body: message.object, place: place), &changes)
    }
    // The first says enough of a step.
    if let mistake = mistakes.first { throw .line(mistake) }
  }
}
