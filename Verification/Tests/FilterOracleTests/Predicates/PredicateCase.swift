import Foundation
import LiveStore

/// A predicate, with what the store must make of it.
struct PredicateCase<Mode: CaseMode>: Sendable {
  typealias Item = CaseItem<Mode>

  let predicate: Predicate<Item>
  /// The same filter in Swift, where there is one.
  let typed: Query<Item>?
  /// Whether some part of it is evaluated by Foundation.
  let isEvaluated: Bool

  /// A predicate that equals a filter in Swift.
  static func same(
    _ predicate: Predicate<Item>, _ filter: (Row<Item>) -> Expr<Bool>
  ) -> PredicateCase {
    PredicateCase(predicate: predicate, typed: Item.where(filter), isEvaluated: false)
  }

  /// A predicate of which all is read, though no plain filter in Swift says it.
  static func read(_ predicate: Predicate<Item>) -> PredicateCase {
    PredicateCase(predicate: predicate, typed: nil, isEvaluated: false)
  }

  /// A predicate of which a part is evaluated.
  static func evaluated(_ predicate: Predicate<Item>) -> PredicateCase {
    PredicateCase(predicate: predicate, typed: nil, isEvaluated: true)
  }
}
