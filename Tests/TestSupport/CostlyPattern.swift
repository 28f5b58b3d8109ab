package import LiveStore

/// What makes a filter fail: a pattern that takes more steps for a certain text than it may. It matches no text.
package enum CostlyPattern {
  package static let text = String(repeating: "a b ", count: 52)

  package static let pattern: TextPattern = {
    guard let pattern = try? TextPattern("([a-z ]?){2000}x!") else { preconditionFailure("It is a pattern.") }
    return pattern
  }()
}

extension Item {
  /// All items, until one has ``CostlyPattern/text`` as its name.
  package static let failing = Item.where { !$0.name.matches(CostlyPattern.pattern) }
}
