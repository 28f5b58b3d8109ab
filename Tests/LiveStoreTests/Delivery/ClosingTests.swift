import LiveStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Closing a store` {
  /// Bug: what waited to be brought into results was dropped before observers ended, so that one who asked in
  /// between was given results of the version before with the rows of the newest, and the process ended.
  @Test func `a store closed while commits wait for upkeep gives its observers complete results`()
    async throws
  {
    for _ in 0..<Environment.size(60, thorough: 300) {
      let store = try Store(Item.self)
      try await store.write { tx in for id in 0..<40 { try tx.insert(Item(id, rank: id)) } }
      let query = ObservedQuery(type: Item.self, stages: Item.sorted(by: \.rank).stages)
      let cursor = store.engine.makeCursor([query], excluding: [])
      let begun = Signal()
      let asking = Worker {
        _ = cursor.poll()
        begun.send()
        while true {
          switch cursor.poll() {
          case .event(let step, _):
            for (old, new) in zip(step.old ?? [], step.new) {
              try require(Self.readAll(old) == 40 && Self.readAll(new) == 40, "40 rows")
            }
          case .skipped, .none: break
          case .ended, .failed: return
          }
        }
      }
      await begun.arrival()
      for id in 0..<30 {
        try await store.write { tx in
          try tx.delete(Item.self, id)
          try tx.insert(Item(id + 40, rank: id + 40))
        }
      }
      store.close()
      try await asking.value()
    }
  }

  /// Reads each row, which has to be in its table.
  private static func readAll(_ side: ResultSide) -> Int {
    (0..<side.window.count).count { side.object(at: $0).object(as: Item.self).pointee.rank >= 0 }
  }
}
