import LiveStore

/// What concurrent rounds write: money that goes from account to account, and is never more or less.
struct Account: Entity {
  let id: Int
  var balance: Int
  /// How many transfers it took part in.
  var transfers = 0
  var group: Int
  var name: String
  var friends = RefList<Account>()
  static let schema = Schema<Account> {
    Property(\.balance, .indexed)
    \.transfers
    Property(\.group, .indexed)
    Property(\.name, .unique)
    Relation(\.friends)
  }
}

/// One transfer.
struct Transfer: Entity {
  let id: Int
  var source: Ref<Account>
  var target: Ref<Account>?
  var amount: Int
  static let schema = Schema<Transfer> {
    Relation(\.source, onDelete: .cascade)
    Relation(\.target, onDelete: .nullify)
    Property(\.amount, .indexed)
  }
}

/// Two doctors of whom at least one is on call: what serializable transactions keep and snapshots alone do not.
struct Doctor: Entity {
  let id: Int
  var isOnCall: Bool
  static let schema = Schema<Doctor> { \.isOnCall }
}
