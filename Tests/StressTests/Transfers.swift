import LiveStore
import TestSupport

/// A purse; money only moves between purses, so every consistent state has the same sum.
struct Purse: Entity, Equatable {
  let id: Int
  var balance: Int
  var group: Int
  static let schema = Schema<Purse> {
    Property(\.balance, .indexed)
    Property(\.group, .indexed)
  }
}

/// A counter that each writer adds one to at a time.
struct Tally: Entity, Equatable {
  let id: Int
  var count = 0
  static let schema = Schema<Tally> { \.count }
}

/// A seat that one person at most may have.
struct Claim: Entity, Equatable {
  let id: Int
  var seat: Int?
  static let schema = Schema<Claim> { Property(\.seat, .unique) }
}

/// What the stress tests do to a store.
enum Transfers {
  static let accounts = 40
  static let total = accounts * 1_000

  static func open() async throws -> Store {
    var configuration = Store.Configuration()
    configuration.historyCommits = 50
    let store = try Store(Purse.self, Tally.self, Claim.self, configuration: configuration)
    try await store.write { tx in
      for id in 0..<accounts { try tx.insert(Purse(id: id, balance: 1_000, group: id % 4)) }
      for id in 0..<4 { try tx.insert(Tally(id: id)) }
      for id in 0..<20 { try tx.insert(Claim(id: id)) }
    }
    return store
  }

  /// Moves money, in steps that break the sum in between, and sometimes places, groups and accounts.
  static func transfer(_ tx: borrowing WriteTransaction, _ random: inout SplitMix64) throws {
    let from = Int.random(in: 0..<accounts, using: &random)
    let to = Int.random(in: 0..<accounts, using: &random)
    let amount = Int.random(in: 1...50, using: &random)
    try tx.update(Purse.self, from) { $0.balance -= amount }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: try tx.update(Purse.self, to) { $0.group = ($0.group + 1) % 4 }
    case 1:
      if let account = tx[Purse.self, to] {
        try tx.delete(Purse.self, to)
        try tx.insert(account)
      }
    case 2:
      try? tx.savepoint { tx in
        try tx.update(Purse.self, to) { $0.balance += 1_000_000 }
        throw CancellationError()
      }
    default: break
    }
    try tx.update(Purse.self, to) { $0.balance += amount }
  }

  static func sum(_ snapshot: Snapshot) -> Int { snapshot.fetch(Purse.all).reduce(0) { $0 + $1.balance } }
}
