import LiveStore

/// One step of a random transaction: a value, so that histories can be printed, shortened and run again.
package indirect enum Edit: Sendable {
  case insert([Thing<WithIndexes>])
  case upsert([Thing<WithIndexes>])
  case update(Int, Patch)
  /// An update and the update that undoes it.
  case waver(Int, Patch)
  case delete(Int)
  /// A deletion and an insertion under the same id, with the same value or an edited one.
  case reinsert(Int, Patch?)
  /// An update of all that a query finds; the query is that of a seed.
  case updateFound(UInt64, Patch)
  case deleteFound(UInt64)
  case clear
  /// A part of the transaction that may throw in the end.
  case savepoint([Edit], fails: Bool)
  /// The body throws.
  case fail
  /// A query is compared with the checker inside the transaction.
  case read(UInt64)
}

/// What one call of `write` does.
package struct RandomTransaction: Sendable {
  package var origin: String?
  package var edits: [Edit]
  /// Where the questions asked after it come from; its own, so that they stay when others are left out.
  package var probe: UInt64

  package init(origin: String?, edits: [Edit], probe: UInt64) {
    self.origin = origin
    self.edits = edits
    self.probe = probe
  }
}

/// Transactions that follow from a seed.
package struct History: Sendable {
  package var seed: UInt64
  package var transactions: [RandomTransaction]

  /// A history of a seed: mostly small tables, now and then one of several leaves.
  package init(seed: UInt64, length: Int = 20) {
    var random = SplitMix64(seed: seed)
    self.seed = seed
    let isLarge = random.chance(1, in: 6)
    let ids = isLarge ? Array(0..<220) : Pool.ids
    let first = random.int(0...(isLarge ? 180 : 18))
    var start: [Thing<WithIndexes>] = []
    for id in ids.shuffled(using: &random).prefix(first) {
      start.append(random.thing(id, codes: ["code-\(id)"]))
    }
    transactions = [RandomTransaction(origin: nil, edits: [.insert(start)], probe: random.next())]
    for _ in 0..<length {
      let origin = random.pick([nil, nil, "a", "a", "b"])
      let edits = (0..<random.pick([0, 1, 1, 1, 2, 3, 5, 8])).map { _ in random.edit(ids, depth: 2) }
      transactions.append(RandomTransaction(origin: origin, edits: edits, probe: random.next()))
    }
  }
}

extension SplitMix64 {
  /// Codes to choose from: mostly such as no other object has.
  fileprivate mutating func codes() -> [String] {
    chance(1, in: 8) ? Pool.texts : ["code-\(int(100...9999))"]
  }

  /// A code that another object often has, in the same spelling or another.
  fileprivate mutating func contestedCode() -> Patch {
    var values = Thing<WithIndexes>(0)
    values.code = pick(["é", "e\u{301}"])
    return Patch(values: values, names: ["code"])
  }

  fileprivate mutating func edit(_ ids: [Int], depth: Int) -> Edit {
    let id = pick(ids)
    switch int(0...31) {
    case 0...4:
      let things = (0..<pick([1, 1, 1, 2, 4])).map { _ in thing(pick(ids), codes: codes()) }
      return .insert(things)
    case 5...7: return .upsert((0..<pick([1, 1, 2])).map { _ in thing(pick(ids), codes: codes()) })
    case 8...13: return .update(id, patch(codes: codes()))
    case 14, 15: return .update(id, contestedCode())
    case 16, 17: return .waver(id, patch(codes: codes()))
    case 18...20: return .delete(id)
    case 21...23: return .reinsert(id, chance(1, in: 2) ? nil : patch(codes: codes()))
    case 24:
      return .updateFound(
        next(),
        Patch(
          values: thing(0, codes: []), names: [pick(["rank", "score", "level", "tag", "place", "isDone"])]))
    case 25: return chance(1, in: 2) ? .deleteFound(next()) : .read(next())
    case 26: return chance(1, in: 8) ? .clear : .read(next())
    case 27, 28:
      guard depth > 0 else { return .read(next()) }
      return .savepoint((0..<int(0...4)).map { _ in edit(ids, depth: depth - 1) }, fails: chance(1, in: 2))
    case 29: return chance(1, in: 6) ? .fail : .read(next())
    default: return .read(next())
    }
  }
}

// MARK: Printing

extension Edit: CustomStringConvertible {
  package var description: String {
    switch self {
    case .insert(let things): "try tx.insert(contentsOf: \(things))"
    case .upsert(let things): "try tx.upsert(contentsOf: \(things))"
    case .update(let id, let patch): "try tx.update(Thing.self, \(id)) { \(patch) }"
    case .waver(let id, let patch): "try tx.update(Thing.self, \(id)) { \(patch) }; … and back"
    case .delete(let id): "try tx.delete(Thing.self, \(id))"
    case .reinsert(let id, let patch):
      "delete and insert \(id)" + (patch.map { " with { \($0) }" } ?? " unchanged")
    case .updateFound(let seed, let patch): "try tx.update(\(Self.text(seed))) { \(patch) }"
    case .deleteFound(let seed): "try tx.delete(\(Self.text(seed)))"
    case .clear: "try tx.deleteAll()"
    case .savepoint(let edits, let fails):
      "try tx.savepoint { tx in \(edits.map(\.description).joined(separator: "; "))\(fails ? "; throw" : "") }"
    case .fail: "throw"
    case .read(let seed): "tx.fetch(\(Self.text(seed)))"
    }
  }

  private static func text(_ seed: UInt64) -> String {
    var random = SplitMix64(seed: seed)
    return random.query(for: WithIndexes.self).text
  }
}

extension RandomTransaction: CustomStringConvertible {
  package var description: String {
    let origin = origin.map { "(origin: \"\($0)\")" } ?? ""
    return "store.write\(origin) { tx in\n    \(edits.map(\.description).joined(separator: "\n    "))\n  }"
  }
}

extension History: CustomStringConvertible {
  package var description: String {
    "seed \(seed):\n  " + transactions.map(\.description).joined(separator: "\n  ")
  }
}

// MARK: Shortening

extension History {
  /// A shorter history that still fails: first without what comes after the failing step, then without each
  /// transaction and each edit that is not needed.
  package func shortened(upTo step: Int, _ fails: (History) async -> Bool) async -> History {
    var shortest = self
    shortest.transactions = Array(transactions.prefix(step + 1))
    guard await fails(shortest) else { return self }
    var index = shortest.transactions.count - 1
    while index >= 0 {
      var shorter = shortest
      shorter.transactions.remove(at: index)
      if await fails(shorter) { shortest = shorter }
      index -= 1
    }
    for index in shortest.transactions.indices {
      var edit = shortest.transactions[index].edits.count - 1
      while edit >= 0 {
        var shorter = shortest
        shorter.transactions[index].edits.remove(at: edit)
        if await fails(shorter) { shortest = shorter }
        edit -= 1
      }
      if case .insert(let things)? = shortest.transactions[index].edits.first, things.count > 1 {
        var kept = things
        for thing in things {
          var shorter = shortest
          shorter.transactions[index].edits[0] = .insert(kept.filter { $0.id != thing.id })
          if await fails(shorter) {
            shortest = shorter
            kept.removeAll { $0.id == thing.id }
          }
        }
      }
    }
    return shortest
  }
}
