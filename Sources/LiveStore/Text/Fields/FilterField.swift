/// Reads a value of a row for a text filter.
typealias FilterReader = @Sendable (UnsafeRawPointer, ReadContext) -> FilterValue

/// A value of each row that a text filter names, with its type behind it.
protocol FilterField: Sendable {
  /// What kind of values it has.
  var kind: FilterKind { get }
  /// As what its numbers are computed, or those of a list's elements; nil if they are none.
  var numbers: NumberKind? { get }
  /// The value of a row.
  var read: FilterReader { get }
  /// What the value depends on.
  var dependencies: [Dependency] { get }
  /// What it is in a database; nil if it is in no column of its own.
  var columnType: SQLColumnType? { get }

  /// What a further step leads to; nil if it leads nowhere.
  /// - Parameter spreads: whether a name leads from an array of JSON to the values of its elements.
  func target(of step: FilterPath.Step, spreads: Bool) throws(FilterStepError) -> FilterTarget?
  /// The condition that the expression written in Swift would make; nil if there is none.
  func condition(
    _ relation: FilterSyntax.Relation, _ literal: FilterLiteral, _ options: TextOptions
  ) throws(FilterStepError) -> ConditionTree?
  /// Whether the value is one of several; nil if there is no such condition.
  func membership(_ literals: [FilterLiteral]) throws(FilterStepError) -> ConditionTree?
  /// Whether the value lies between two others; nil if there is no such condition.
  func between(_ lower: FilterLiteral, _ upper: FilterLiteral) throws(FilterStepError) -> ConditionTree?
  /// A comparison with another value of the row; nil if there is none.
  func comparison(
    _ relation: FilterSyntax.Relation, with other: any FilterField, _ options: TextOptions
  ) -> ConditionTree?
  /// A comparison with a value before it, of another type or under options; nil if there is none.
  func pairing<Left>(
    _ relation: FilterSyntax.Relation, after left: Expr<Left>, _ leftKind: FilterKind, _ options: TextOptions
  ) -> ConditionTree?
  /// The key of an order by the value; nil if its values have no order.
  func sortKey(_ direction: SortDirection) -> SortKey?
  /// The key of distinct values; nil if it has none.
  var distinctKey: SortKey? { get }
  /// The value, or another one where it is nil; nil if it never is.
  func filling(_ literal: FilterLiteral) -> (any FilterField)?
  /// A function of the values of linked objects; nil if they have none.
  func aggregate(_ aggregate: FilterPath.Aggregate, over rows: any FilterRows) -> (any FilterField)?
  /// The same value as one of a row that is some levels further in.
  func lifted(by levels: Int) -> any FilterField
}

/// What a path of a text filter leads to.
indirect enum FilterTarget: Sendable {
  /// One value of the row.
  case field(any FilterField)
  /// Objects that links lead to.
  case rows(any FilterRows)
  /// A value of each of several objects, read in them.
  case members(any FilterRows, FilterTarget)
}

/// Why a step of a path or a value does not fit, without the column.
struct FilterStepError: Error {
  let message: String
  var suggestion: String?
}

extension FilterTarget {
  /// A target in each of several objects.
  static func joined(_ rows: any FilterRows, _ member: FilterTarget) -> FilterTarget {
    switch member {
    case .field: .members(rows, member)
    case .rows(let inner): .rows(rows.then(inner))
    case .members(let inner, let member): .members(rows.then(inner), member)
    }
  }

  /// The same target as one of a row that is some levels further in (B4).
  func lifted(by levels: Int) -> FilterTarget {
    guard levels > 0 else { return self }
    return switch self {
    case .field(let field): .field(field.lifted(by: levels))
    case .rows(let rows): .rows(rows.lifted(by: levels))
    case .members(let rows, let member): .members(rows.lifted(by: levels), member)
    }
  }

  /// The kind of the values; a list for those of several objects.
  var kind: FilterKind {
    switch self {
    case .field(let field): field.kind
    case .rows(let rows): .list(.object(rows.entity))
    case .members(_, let member): .list(member.kind.element)
    }
  }

  /// As what the numbers are computed.
  var numbers: NumberKind? {
    switch self {
    case .field(let field): field.numbers
    case .rows(let rows): rows.id.numbers
    case .members(_, let member): member.numbers
    }
  }

  /// The value of a row; a list for those of several objects, objects by their ids.
  var read: FilterReader { reader(ofDistinct: false) }

  /// The same, where it makes no difference how often an object is among several.
  var readDistinct: FilterReader { reader(ofDistinct: true) }

  private func reader(ofDistinct areDistinct: Bool) -> FilterReader {
    switch self {
    case .field(let field): field.read
    case .rows(let rows): rows.values(rows.id.read, areDistinct: areDistinct)
    case .members(let rows, let member):
      rows.values(member.reader(ofDistinct: areDistinct), areDistinct: areDistinct)
    }
  }

  /// What the values depend on.
  var dependencies: [Dependency] {
    switch self {
    case .field(let field): field.dependencies
    case .rows(let rows): rows.dependencies(rows.id.dependencies)
    case .members(let rows, let member): rows.dependencies(member.dependencies)
    }
  }
}
