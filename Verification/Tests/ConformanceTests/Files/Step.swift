import LiveStore

/// Transactions that are committed one after another before anything is delivered.
struct Step {
  /// Thrown out of a transaction that a case cancels.
  private struct RolledBack: Error {}

  private let transactions: [[JSONValue]]
  private let rollbacks: Set<Int>
  /// By transaction, the observers that are not to receive it.
  private let suppressed: [Int: Set<String>]

  init(_ json: JSONValue) throws(CaseFailure) {
    var transactions: [[JSONValue]] = []
    for transaction in try json.elements("transactions") {
      guard let operations = transaction.elements else { throw .malformed("a transaction is no array") }
      transactions.append(operations)
    }
    self.transactions = transactions
    rollbacks = Set(try json.optionalElements("rollback").integers())
    var suppressed: [Int: Set<String>] = [:]
    for (key, value) in try json.optionalMembers("suppress") {
      guard let index = Int(key), let names = value.elements else {
        throw .malformed("suppress names no transaction: \(key)")
      }
      suppressed[index] = Set(names.compactMap(\.text))
    }
    self.suppressed = suppressed
  }

  /// The origins of this step that an observer excludes.
  func origins(suppressing observer: String) -> Set<String> {
    Set(suppressed.values.filter { $0.contains(observer) }.map(Self.origin))
  }

  func commit(in world: World) async throws {
    for (index, operations) in transactions.enumerated() {
      let isRolledBack = rollbacks.contains(index)
      do {
        try await world.store.write(origin: suppressed[index].map(Self.origin)) { tx in
          for operation in operations { try world.apply(operation, in: tx) }
          if isRolledBack { throw RolledBack() }
        }
      } catch is RolledBack {}
    }
  }

  /// The name under which a transaction is written that these observers exclude.
  private static func origin(_ observers: Set<String>) -> String {
    "unseen by " + observers.sorted().joined(separator: ", ")
  }
}
