/// The grouping of a query's rows and the aggregate of each group, without types.
package struct Grouping: Hashable, Sendable {
  /// Two groupings of one entity are equal if their forms are.
  struct Form: Hashable, Sendable {
    /// Nil if all rows are one group.
    let key: Term?
    let kind: Kind
    /// The value that is added up or compared.
    let value: Term?
  }

  enum Kind: Hashable, Sendable {
    case count, sum, min, max, average
    /// The rows stay the result, and the groups are its sections.
    case sections
  }

  let form: Form
  /// The values read over links that the grouping names, beyond those of the stages.
  let named: [NamedValue]
  /// An empty table of such groups.
  let makeTable: @Sendable () -> any GroupUpkeep

  package static func == (lhs: Grouping, rhs: Grouping) -> Bool { lhs.form == rhs.form }
  package func hash(into hasher: inout Hasher) { hasher.combine(form) }
}
