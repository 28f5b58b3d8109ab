// Text filters.
//
// A text goes through four steps: `FilterLexer` makes tokens, `FilterParser` a `FilterSyntax` (by
// precedence climbing; it knows no schema), `bound` puts arguments in place of `%@`, and `FilterCompiler`
// makes the `ConditionTree` that the store runs.
//
// - **F1** A comparison of a property with a value becomes the condition that the typed expression makes.
//   The compiler finds the property's type behind `TypedField`, converts the value to it once
//   (`FilterConversion`), and applies the same operators. So it is planned, routed and shared like that one
//   (tests compare the queries).
// - **F2** What typed expressions cannot say becomes a `Term.general`: both sides are read as
//   `FilterValue`s, and `FilterRelation` compares them. It has no candidates, and depends on all that both
//   sides read, so live queries follow them.
// - **F3** `FilterRelation` is the meaning of every comparison, of values of any type and of JSON. The
//   foreign cases check it against other implementations.
// - **F4** What nests is bounded by the parser: 64 levels, which fit on a stack of 512 kB. Chains of AND
//   and OR are one node, however long.
// - **F5** Patterns are matched in time linear in the text (`Patterns`): wildcards segment by segment,
//   regular expressions by sets of states (Thompson, "Regular Expression Search Algorithm", 1968). The work
//   for one text is limited (`FilterRun.matching`), since a set may have thousands of states.
// - **F9** A condition goes back to the text that makes it (`Text/Rendering`): the text, read again, is an
//   equal filter. So whatever Swift can say has one form: `allSatisfy` is "not some that does not", bounds of
//   one property are one range, and `SUBQUERY(…).@count > 0` is the question whether something is found.
//   Closures and values of user types have no text. Filters and queries are coded as their text.
// - **F10** A filter in SQL selects the rows that pass, or more of them: then the members of the conjunction
//   that SQL cannot say exactly are tested on these rows (`SQLSelection.remaining`). Null counts as false;
//   under `NOT` a condition is asked whether it is true. Values are bound, never part of the text; names of
//   columns are quoted by `Quoting`.
//
// - **F11** Arithmetic follows `FilterOperand`: each type has a kind of number, `Int`, `Double` or `Decimal`,
//   in which it is computed. A result that a kind cannot represent is nil, or for `Int` the nearest.
//   `Decimal` ends the process at the bounds of its exponent, so nothing is computed there. Text makes the
//   typed expression where both sides are of one kind, and follows the same rules at run time where they are
//   not. The kind of an operation is known when a text is compiled (`NumberKind`): from types, never from the
//   values of a row. So a literal that is an argument keeps its type, and text has a form for it where that
//   makes a difference.
// - **F12** A number stands for one decimal (`FilterNumber`), and comparisons compare decimals. A constant
//   becomes a value of the property's type only if that stands for the same decimal; otherwise the order is
//   compared with the nearest value of that type, on the right side of it (`FilterConversion.nearest`), so
//   that an index and a router see the bound that the filter has.

/// Makes the filter that the store runs out of a text filter, checked against an entity's schema.
///
/// A comparison of a property with a value becomes the condition that the typed expression would make, so that it is
/// planned, routed and shared like that one (F1). What typed expressions cannot say becomes a condition that reads both
/// sides.
struct FilterCompiler<Element: Entity>: FilterScope {
  /// The variable of a subquery, with which paths begin; nil for the row itself.
  var variable: String?
  /// The element of a list that the variable stands for; nil if it stands for an object.
  var root: FilterField?
  /// The scope of paths with other variables, inside a subquery.
  var outer: (any FilterScope)?

  /// The filter of a text.
  func filter(_ syntax: FilterSyntax) throws(FilterSyntaxError) -> ConditionTree {
    switch syntax {
    case .constant(let answer, _): return .constant(answer)
    case .not(let member, _): return try filter(member).negated
    case .and(let members, _): return .all(of: try members.map(filter))
    case .or(let members, _): return .any(of: try members.map(filter))
    case .comparison(let comparison): return try filter(comparison)
    }
  }
}

extension FilterCompiler {
  /// A side of a comparison, resolved.
  struct Side {
    enum Content {
      case literal(FilterLiteral)
      case list([FilterLiteral])
      case target(FilterTarget)
    }

    var content: Content
    var quantifier: FilterQuantifier?
    let column: Int
    /// The row itself, if it is `SELF` or a variable.
    var object: FilterObject?

    init(_ content: Content, _ column: Int, _ object: FilterObject? = nil) {
      (self.content, self.column, self.object) = (content, column, object)
    }

    init(_ field: FilterField, _ column: Int) { self.init(.target(.field(field)), column) }
    init(_ literal: FilterLiteral, _ column: Int) { self.init(.literal(literal), column) }
  }

  /// - Parameter spreads: whether a path leads through arrays of JSON to the values of their elements.
  func side(_ operand: FilterSyntax.Operand, spreads: Bool = false) throws(FilterSyntaxError) -> Side {
    let column = operand.column
    switch operand {
    case .literal(let literal, _): return Side(literal, column)
    case .list(let operands, _):
      let literals = try operands.map { operand throws(FilterSyntaxError) in
        guard case .literal(let literal, _) = operand else {
          throw FilterSyntaxError(column: operand.column, message: "\(operand) has no value")
        }
        return literal
      }
      return Side(.list(literals), column)
    case .path(let path, _):
      let target = try target(of: path, column, spreads: spreads)
      return Side(.target(target), column, object(of: path))
    case .quantified(let quantifier, let inner, _):
      var side = try side(inner, spreads: true).listing
      if case .target(let target) = side.content, !target.kind.isList, target.kind != .unknown {
        throw FilterSyntaxError(
          column: column,
          message: "\(quantifier.rawValue) is for several values; \(inner) is \(target.kind.described)")
      }
      side.quantifier = quantifier
      return side
    case .arithmetic(let operation, let left, let right, _):
      return Side(try arithmetic(operation, try side(left), try side(right)), column)
    case .subquery(let path, let variable, let filter, _):
      switch try subquery(path, variable, filter, column) {
      case .rows(let rows, let test):
        return Side(rows.filtered(test).count, column)
      case .elements(let field, let test):
        return Side(field.count(test), column)
      case .values(let target): return Side(.target(target), column)
      }
    case .function(let name, let operands, _):
      return try function(name, operands, column)
    case .argument(let number, _):
      throw FilterSyntaxError(column: column, message: "there is no argument for $\(number)")
    }
  }

  /// The objects, elements or values that meet the filter of a subquery.
  enum Subquery {
    /// Objects, with the condition on each.
    case rows(any FilterRows, ConditionTree)
    /// Elements of a list, with the condition on each.
    case elements(any ElementField, ConditionTree)
    /// The number of values of types that are known only at run time.
    case values(FilterTarget)
  }

  func subquery(
    _ path: FilterPath, _ variable: String, _ filter: FilterSyntax, _ column: Int
  ) throws(FilterSyntaxError) -> Subquery {
    switch try target(of: path, column, spreads: true) {
    case .rows(let rows): return .rows(rows, try rows.compile(filter, variable: variable, inside: self))
    case .field(let field) where field.kind.isList || field.kind == .unknown:
      if let elements = field.typed as? any ElementField, let element = elements.element {
        let compiler = FilterCompiler<JSONElement>(variable: variable, root: element, outer: self)
        return .elements(elements, try compiler.filter(filter))
      }
      return .values(try valueSubquery(field, variable, filter))
    default:
      throw FilterSyntaxError(column: column, message: "SUBQUERY is for several values; \(path) is one")
    }
  }

  /// How many elements of a list of values meet a filter.
  private func valueSubquery(
    _ field: FilterField, _ variable: String, _ filter: FilterSyntax
  ) throws(FilterSyntaxError) -> FilterTarget {
    // Numbers have the list's kind; all else about an element is known when it is read.
    let element = FilterField(
      .element(ObjectIdentifier(JSONElement.self), level: 0), kind: .unknown, numbers: field.numbers,
      read: { row, _ in
        // The row holds a JSONElement.
        row.object(as: JSONElement.self).pointee.value
      }, named: [])
    let test = try FilterCompiler<JSONElement>(variable: variable, root: element, outer: self).filter(filter)
    let read = field.read
    let term = Term.function(.count, .filtered(field.term, test.term))
    let count = { @Sendable (row: UnsafeRawPointer, context: ReadContext) -> Int64 in
      guard case .list(let elements) = read(row, context) else { return 0 }
      let (inner, run) = (context.inside(row), context.run)
      var count: Int64 = 0
      for element in elements where run?.visit() ?? true {
        withObject(JSONElement(value: element)) { if test.matches($0, inner) { count += 1 } }
      }
      return count
    }
    return .field(
      FilterField(
        term, kind: .number, numbers: .integer, read: { .number(.integer(count($0, $1))) },
        // What the elements are compared with may be read over links, too.
        named: field.named
          + (test.term.followsLinks ? [NamedValue(term) { count($0, $1) == count($2, $3) }] : [])))
  }
}
