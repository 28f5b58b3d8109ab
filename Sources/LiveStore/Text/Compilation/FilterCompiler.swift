/// Makes the filter that the store runs out of a text filter, checked against an entity's schema.
///
/// A comparison of a property with a value becomes the condition that the typed expression would make, so that it is
/// planned, routed and shared like that one (F1). What typed expressions cannot say becomes a condition that reads both
/// sides.
struct FilterCompiler<Element: Entity>: FilterScope {
  /// What paths begin with: the variable of a subquery; nil for the row itself.
  var variable: String?
  /// What the variable stands for, if it is no object: an element of a list.
  var root: FilterField?
  /// What paths with other variables begin with, inside a subquery.
  var outer: (any FilterScope)?
  /// Whether only the types of operands are asked for: then filters of subqueries, which have subqueries, are not compiled.
  var isOfTypes = false

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
    var quantifier: FilterSyntax.Quantifier?
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
    case .subquery where isOfTypes: return Side(Self.anyCount, column)
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

  /// The type of all subqueries.
  private static var anyCount: FilterField {
    FilterField(kind: .number, numbers: .integer, read: { _, _ in .missing }, dependencies: [])
  }

  /// What meets the filter of a subquery.
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
    // Numbers have the kind of the list's; all else of an element is seen when it is read.
    let element = FilterField(
      kind: .unknown, numbers: field.numbers,
      read: { row, _ in
        // The row holds a JSONElement.
        row.object(as: JSONElement.self).pointee.value
      }, dependencies: [JSONElement.dependency])
    let test = try FilterCompiler<JSONElement>(variable: variable, root: element, outer: self).filter(filter)
    let read = field.read
    return .field(
      FilterField(
        kind: .number, numbers: .integer,
        read: { row, context in
          guard case .list(let elements) = read(row, context) else { return .number(.integer(0)) }
          let (inner, run) = (context.inside(row), context.run)
          var count: Int64 = 0
          for element in elements where run?.visit() ?? true {
            withObject(JSONElement(value: element)) { if test.matches($0, inner) { count += 1 } }
          }
          return .number(.integer(count))
        }, dependencies: field.dependencies + test.outerDependencies))
  }
}
