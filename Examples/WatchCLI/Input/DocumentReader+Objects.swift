import LiveStore

// What an object of the input changes.
extension DocumentReader {
  /// Appends what an object changes.
  mutating func change(
    of text: JSONText, _ spellings: NumberSpellings, _ changes: inout [InputChange]
  )
    throws(Mistake)
  {
    guard rules.envelope == nil else { return try change(inEnvelope: text.value, &changes) }
    guard let document = Document(text, key: rules.key, line: number, spellings: spellings) else {
      // Says what is missing.
      return try put(document(text.value), &changes)
    }
    try put(document, &changes)
  }

  private mutating func change(inEnvelope line: JSONValue, _ changes: inout [InputChange]) throws(Mistake) {
    guard let envelope = rules.envelope else { return }
    let content: Envelope.Content
    do throws(Envelope.Mistake) {
      content = try envelope.content(of: line)
    } catch {
      throw .line(error.reason)
    }
    switch content {
    case .put(let body, let before):
      let body = before.map { Envelope.completed(body, by: $0) } ?? body
      let document = try document(body, in: line)
      if let before, let old = try? self.document(before, in: line), old.id != document.id {
        tracker.remove(old.id)
        changes.append(.remove(old))
      }
      if rules.key != .line { tracker.put(document.id, table: envelope.table(of: line)) }
      try put(document, &changes, missing: Envelope.missing(in: body))
    case .remove(let body):
      let document = try document(body, in: line)
      unseen.look(at: document)
      tracker.remove(document.id)
      changes.append(.remove(document))
    case .removeAll(let table): changes += tracker.removeAll(table: table)
    case .listBegin: tracker.beginList()
    case .listEnd: changes += tracker.endList()
    case .message, .mark, .nothing: break
    }
  }

  /// Appends the change to an object, of which the values of some members were not sent.
  mutating func put(_ document: Document, _ changes: inout [InputChange], missing: [String] = [])
    throws(Mistake)
  {
    unseen.look(at: document)
    if decided == nil { try decide(document, missing: missing) }
    defer { decided = nil }
    switch decided {
    case .removed:
      tracker.remove(document.id)
      changes.append(.remove(document))
    case .whole: changes.append(missing.isEmpty ? .put(document) : .complete(document, missing: missing))
    // No later line is about an object that has no key.
    case .id: if !rules.key.isLine { changes.append(.put(document.withoutObject)) }
    case nil: break
    }
  }

  /// Decides what an object is there for.
  mutating func decide(_ document: Document, missing: [String] = []) throws(Mistake) {
    do throws(StoreError) {
      let (use, isLast) = try filters.use(of: document, missing: missing)
      decided = use
      isMet = isMet || isLast
    } catch {
      throw .filter(error)
    }
  }

  /// - Parameter line: what the object was sent in, of which a key may name the source.
  mutating func document(_ body: JSONValue, in line: JSONValue = .null) throws(Mistake) -> Document {
    guard case .object = body else {
      throw Mistake.line("expected an object, found \(body.kindDescription)")
    }
    guard let id = rules.key.id(of: rules.envelope?.identified(body, in: line) ?? body, line: number) else {
      keyless.count += 1
      if keyless.example.isNull { keyless.example = body }
      throw Mistake.line("the key \(rules.key) is missing or null")
    }
    return Document(id: id, body: body)
  }
}
