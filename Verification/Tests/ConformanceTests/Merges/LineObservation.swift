import LiveStore

/// A token on the lines in order, which records change sets.
struct LineObservation {
  private let observation: Observation<CollectionChange<Line>>

  /// - Parameter properties: the only ones whose difference is a modification.
  init(_ lines: LineStore, properties: RowPaths<Line>? = nil) async throws {
    let store = lines.store
    observation = Observation { recorder in
      store.observe(Line.inOrder, properties: properties) { recorder.add($0) }
    }
    try await store.settled()
    let events = observation.take()
    guard events.count == 1, case .initial = events[0] else {
      throw CaseFailure.wrong("start", expected: "one initial event", seen: events)
    }
  }

  func pause() { observation.pause() }
  func resume() { observation.resume() }

  /// The change set delivered since the last call; nil when nothing was.
  func take(_ place: String) throws -> ChangeSet<Line>? {
    let events = observation.take()
    if events.isEmpty { return nil }
    guard events.count == 1, case .update(_, let changes) = events[0] else {
      throw CaseFailure.wrong(place, expected: "at most one update", seen: events)
    }
    return changes
  }
}
