package import Crypto
import Foundation
package import LiveStore

/// An object of the scenario.
package struct Entry: Entity, Codable, Equatable {
  package let id: Int
  package var step: Int
  package var text: String
  /// The version of the schema: each migration adds one to that of all objects.
  package var revision = 1
  package static let schema = Schema<Entry> {
    Property(\.step, .indexed)
    \.text
    \.revision
  }

  package init(id: Int, step: Int, text: String, revision: Int = 1) {
    (self.id, self.step, self.text, self.revision) = (id, step, text, revision)
  }
}

/// The number of the last step that was written; there is one.
package struct Position: Entity, Codable, Equatable {
  package let id: Int
  package var step: Int
  package var revision = 1
  package static let schema = Schema<Position> {
    \.step
    \.revision
  }

  package init(id: Int, step: Int, revision: Int = 1) {
    (self.id, self.step, self.revision) = (id, step, revision)
  }
}

/// A sequence of transactions that is known in advance: what a store has after each follows from its number alone.
package enum CrashScenario {
  /// The transaction of a number.
  package static func write(_ step: Int, revision: Int = 1, _ tx: inout WriteTransaction) throws {
    for change in changes(step) {
      switch change {
      case .put(var entry):
        entry.revision = revision
        try tx.upsert(entry)
      case .remove(let id): try tx.delete(Entry.self, id)
      }
    }
    try tx.upsert(Position(id: 0, step: step, revision: revision))
  }

  /// How many keys there are.
  package static let keyCount = 4

  /// The key of a number; the first is none.
  package static func key(_ number: Int) -> SymmetricKey? {
    number == 0 ? nil : SymmetricKey(data: Data(repeating: UInt8(number), count: 16 + 8 * (number % 3)))
  }

  /// What a store has after the transactions through a number.
  package struct Content {
    package private(set) var step = 0
    package private(set) var entries: [Entry] = []
    /// How many objects had been inserted when each was, with it.
    package private(set) var births: [Int: Int] = [:]
    private var birthCount = 0

    package init() {}

    /// The objects as they are after migrations to a version of the schema.
    package func entries(revision: Int) -> [Entry] {
      entries.map { entry in
        var entry = entry
        entry.revision = revision
        return entry
      }
    }

    /// Applies the transactions through a number.
    package mutating func advance(through step: Int) {
      while self.step < step {
        self.step += 1
        for change in CrashScenario.changes(self.step) {
          switch change {
          case .put(let entry):
            if let index = entries.firstIndex(where: { $0.id == entry.id }) {
              entries[index] = entry
            } else {
              entries.append(entry)
              birthCount += 1
              births[entry.id] = birthCount
            }
          case .remove(let id):
            entries.removeAll { $0.id == id }
            births[id] = nil
          }
        }
      }
    }
  }

  private enum Change {
    case put(Entry)
    case remove(Int)
  }

  private static func changes(_ step: Int) -> [Change] {
    // A small generator whose whole course follows from the number.
    var state = UInt64(step) &* 0x9E37_79B9_7F4A_7C15
    func random(_ limit: Int) -> Int {
      state = (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
      state ^= state >> 32
      return Int(state % UInt64(limit))
    }
    return (0...random(6)).map { _ in
      let id = random(60)
      if random(4) == 0 { return .remove(id) }
      // Some do not fit into a page.
      let length = random(40) == 0 ? 9_000 : random(60)
      return .put(
        Entry(id: id, step: step, text: String(repeating: "\(step) ", count: 1 + length / 8)))
    }
  }
}
