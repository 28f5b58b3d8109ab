// From the tree of a text to the filter that the store runs. Where a condition compares a path with a constant
// it becomes the condition that the typed expression would have made, so that it is planned, routed and shared
// like that one; what typed expressions cannot say becomes a condition of its own that reads both operands.

extension Query {
  /// Keeps the rows that meet a text filter, of an entity whose schema resolves paths at run time.
  package func `where`(_ syntax: FilterSyntax) -> Query {
    self.where { Expr<Bool>(syntax.filter($0)) }
  }
}

extension FilterSyntax {
  /// The filter over the rows of an entity whose schema resolves paths at run time.
  package func filter<Element>(_ row: Row<Element>) -> Filter {
    switch self {
    case .constant(let answer, _): return .constant(answer)
    case .not(let member, _): return member.filter(row).negated
    case .and(let members, _):
      var filters: [Filter] = []
      for member in members { filters += member.filter(row).conjuncts }
      return filters.isEmpty ? .constant(true) : filters.count == 1 ? filters[0] : .all(filters)
    case .or(let members, _):
      var filters: [Filter] = []
      for member in members {
        let filter = member.filter(row)
        if case .any(let inner) = filter { filters += inner } else { filters.append(filter) }
      }
      return .any(filters)
    case .comparison(let comparison): return comparison.filter(row)
    }
  }
}

extension FilterSyntax.Comparison {
  fileprivate func filter<Element>(_ row: Row<Element>) -> Filter {
    switch (left, right) {
    case (.keyPath(let path, _), .keyPath(let other, _)):
      return direct(row[path: path], row[path: other]) ?? general(row)
    case (.keyPath(let path, _), _): return direct(row[path: path], right.evaluate(.null)) ?? general(row)
    case (_, .keyPath(let path, _)): return flipped(row[path: path], left.evaluate(.null)) ?? general(row)
    default: return .constant(relation.holds(left.evaluate(.null), right.evaluate(.null), options))
    }
  }

  /// `path relation constant`, if typed expressions have it.
  private func direct(_ path: Expr<JSONValue>, _ value: JSONValue) -> Filter? {
    switch (relation, value) {
    case (.equal, _) where options.isEmpty: return (path == value).filter
    case (.notEqual, _) where options.isEmpty: return (path != value).filter
    case (.less, _): return (path < value).filter
    case (.lessOrEqual, _): return (path <= value).filter
    case (.greater, _): return (path > value).filter
    case (.greaterOrEqual, _): return (path >= value).filter
    case (.contains, .string(let text)): return path.contains(text, options: options).filter
    case (.beginsWith, .string(let text)): return path.beginsWith(text, options: options).filter
    case (.endsWith, .string(let text)): return path.endsWith(text, options: options).filter
    case (.contains, _), (.beginsWith, _), (.endsWith, _): return .constant(false)
    case (.in, .array(let values)): return path.in(values).filter
    case (.in, _): return .constant(false)
    case (.between, .array(let bounds)) where bounds.count == 2:
      return (path >= bounds[0]).filter.and((path <= bounds[1]).filter)
    default: return nil
    }
  }

  /// `path relation path`, if typed expressions have it.
  private func direct(_ path: Expr<JSONValue>, _ other: Expr<JSONValue>) -> Filter? {
    guard options.isEmpty else { return nil }
    switch relation {
    case .equal: return (path == other).filter
    case .notEqual: return (path != other).filter
    case .less: return (path < other).filter
    case .lessOrEqual: return (path <= other).filter
    case .greater: return (path > other).filter
    case .greaterOrEqual: return (path >= other).filter
    case .contains, .beginsWith, .endsWith, .in, .between: return nil
    }
  }

  /// `constant relation path`, if it can be said the other way round.
  private func flipped(_ path: Expr<JSONValue>, _ value: JSONValue) -> Filter? {
    switch relation {
    case .equal where options.isEmpty: (path == value).filter
    case .notEqual where options.isEmpty: (path != value).filter
    case .less: (path > value).filter
    case .lessOrEqual: (path >= value).filter
    case .greater: (path < value).filter
    case .greaterOrEqual: (path <= value).filter
    default: nil
    }
  }

  /// The comparison as it stands, over whatever its operands are.
  private func general<Element>(_ row: Row<Element>) -> Filter {
    let (left, right) = (left.accessor(row), right.accessor(row))
    let (relation, options) = (relation, options)
    let answer = Accessor<Bool>.function { row, context in
      relation.holds(left.read(row, context), right.read(row, context), options)
    }
    let mask = testMask(answer) { $0 }
    return .condition(Condition(form: .closure(ClosureIdentity()), mask: mask, candidates: nil))
  }
}

extension FilterSyntax.Operand {
  /// How the operand is read from a row.
  fileprivate func accessor<Element>(_ row: Row<Element>) -> Accessor<JSONValue> {
    if case .keyPath(let path, _) = self { return row[path: path].accessor }
    let value = evaluate(.null)
    return .function { _, _ in value }
  }
}
