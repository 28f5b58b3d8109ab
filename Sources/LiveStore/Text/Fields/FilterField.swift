/// Reads a value of a row for a text filter.
typealias FilterReader = @Sendable (UnsafeRawPointer, ReadContext) -> FilterValue

/// A value of each row that a text filter names.
struct FilterField: Sendable {
  /// What it means.
  let term: Term
  /// What kind of values it has.
  let kind: FilterKind
  /// The kind in which its numbers, or the numbers in its list, are computed; nil if it has none.
  let numbers: NumberKind?
  /// The values read over links that it names.
  let named: [NamedValue]
  /// The expression that reads it; nil for a value of which only the kind is known.
  let typed: (any TypedField)?
  private let reader: @Sendable () -> FilterReader

  /// The value of an expression.
  init<Value: Equatable & Sendable>(_ expr: Expr<Value>) {
    let typed = ExpressionField(expr: expr)
    (kind, numbers) = (typed.kind, typed.numbers)
    (term, named) = (expr.term, expr.named)
    self.typed = typed
    reader = { typed.read }
  }

  /// A value that is computed from others.
  init(
    _ term: Term, kind: FilterKind, numbers: NumberKind?, read: @escaping FilterReader, named: [NamedValue]
  ) {
    (self.term, self.kind, self.numbers, self.named) = (term, kind, numbers, named)
    typed = nil
    reader = { read }
  }

  /// The value of a row.
  var read: FilterReader { reader() }

  /// The same value as one of a row that is some levels further in.
  func lifted(by levels: Int) -> FilterField {
    if let typed { return typed.lifted(by: levels) }
    let read = read
    return FilterField(
      term.lifted(by: levels), kind: kind, numbers: numbers,
      read: { _, context in
        let (row, context) = context.around(levels)
        return read(row, context)
      }, named: [])
  }
}

/// The target of a path of a text filter.
indirect enum FilterTarget: Sendable {
  /// One value of the row.
  case field(FilterField)
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

  /// What the values mean.
  var term: Term {
    switch self {
    case .field(let field): field.term
    case .rows(let rows): rows.path
    case .members(let rows, let member): rows.path.appending(member.term)
    }
  }

  /// The kind of the values; a list for values of several objects.
  var kind: FilterKind {
    switch self {
    case .field(let field): field.kind
    case .rows(let rows): .list(.object(rows.entity))
    case .members(_, let member): .list(member.kind.element)
    }
  }

  /// The kind in which the numbers are computed.
  var numbers: NumberKind? {
    switch self {
    case .field(let field): field.numbers
    case .rows(let rows): rows.id.numbers
    case .members(_, let member): member.numbers
    }
  }

  /// The value of a row; a list for values of several objects, objects by their ids.
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

  /// The values read over links that it names.
  var named: [NamedValue] {
    switch self {
    case .field(let field): field.named
    case .rows(let rows): [NamedValue(.values(rows.path, [rows.id.term]))]
    case .members(let rows, let member): [NamedValue(.values(rows.path, [member.term]))]
    }
  }
}
