extension FilterCompiler {
  /// The target of a path.
  /// - Parameter spreads: whether names lead from arrays of JSON to the values of their elements; they always
  ///   do if a function of the values follows.
  func target(
    of path: FilterPath, _ column: Int, spreads: Bool = false
  ) throws(FilterSyntaxError) -> FilterTarget {
    guard let (scope, levels) = scope(of: path) else {
      throw FilterSyntaxError(column: column, message: "the variable $\(path.variable ?? "") has no value")
    }
    do throws(FilterStepError) {
      return try scope.ownTarget(of: path, spreads: spreads).lifted(by: levels)
    } catch {
      var suggestion = error.suggestion
      if levels > 0, path.variable == nil, let variable,
        (try? ownTarget(of: path, spreads: spreads)) != nil
      {
        suggestion = "\(FilterPath(path.steps, variable: variable))"
      }
      throw FilterSyntaxError(column: column, message: error.message, suggestion: suggestion)
    }
  }

  func ownTarget(of path: FilterPath, spreads: Bool) throws(FilterStepError) -> FilterTarget {
    try target(of: Self.stepsByName(path.steps)[...], path, spreads || path.hasAggregate)
  }

  /// The steps; keys in quotes become names where names are known at run time only.
  private static func stepsByName(_ steps: [PathStep]) -> [PathStep] {
    guard Element.self is any DynamicEntity.Type || Element.self == JSONElement.self else { return steps }
    return steps.map { if case .key(let key) = $0 { .name(key) } else { $0 } }
  }

  private func target(
    of steps: ArraySlice<PathStep>, _ path: FilterPath, _ spreads: Bool
  ) throws(FilterStepError) -> FilterTarget {
    var rest = steps
    let names = Self.names(rest)
    var target: FilterTarget
    var count = 0
    if let root {
      target = .field(root)
    } else if rest.isEmpty {
      return FilterRoot<Element>.object
    } else if names.isEmpty {
      throw FilterStepError(message: "expected the name of a property before \(path)")
    } else {
      (target, count) = try FilterRoot<Element>.target(of: names, spreads: spreads)
      rest = rest.dropFirst(count)
    }
    while !rest.isEmpty {
      if case .aggregate(let aggregate)? = rest.first {
        target = try aggregated(target, aggregate, of: rest.dropFirst(), path, spreads)
        return target
      }
      (target, count) = try self.target(of: rest, from: target, path, spreads)
      rest = rest.dropFirst(count)
    }
    return target
  }

  private static func names(_ steps: ArraySlice<PathStep>) -> ArraySlice<String> {
    var names: [String] = []
    for step in steps {
      guard case .name(let name) = step else { break }
      names.append(name)
    }
    return names[...]
  }

  /// The target that steps lead to from another one, and how many of the steps it takes.
  private func target(
    of steps: ArraySlice<PathStep>, from target: FilterTarget, _ path: FilterPath, _ spreads: Bool
  ) throws(FilterStepError) -> (target: FilterTarget, count: Int) {
    let names = Self.names(steps)
    switch target {
    case .field(let field):
      if !names.isEmpty, let link = field.typed as? any LinkField {
        return try link.target(ofLinked: names, spreads: spreads)
      }
      guard let step = steps.first, let next = try field.target(of: step, spreads: spreads) else {
        throw Self.deadEnd(steps, field.kind, path)
      }
      return (next, 1)
    case .rows(let rows):
      guard !names.isEmpty else { throw Self.deadEnd(steps, target.kind, path) }
      let (next, count) = try rows.target(of: names, spreads: spreads)
      return (.joined(rows, next), count)
    case .members(let rows, let member):
      let (next, count) = try self.target(of: steps, from: member, path, spreads)
      return (.joined(rows, next), count)
    }
  }

  private static func deadEnd(
    _ steps: ArraySlice<PathStep>, _ kind: FilterKind, _ path: FilterPath
  ) -> FilterStepError {
    let step = FilterPath(Array(steps.prefix(1))).description
    return switch kind {
    case .value:
      FilterStepError(
        message: "\(path): the schema of \(Element.self) lists no \(step) there; list it as Property(\\.…)")
    default: FilterStepError(message: "\(path): there is no \(step) in \(kind.described)")
    }
  }

  /// A function of the values of a target, or of the values that a path leads to from them.
  private func aggregated(
    _ target: FilterTarget, _ aggregate: CollectionFunction, of steps: ArraySlice<PathStep>,
    _ path: FilterPath, _ spreads: Bool
  ) throws(FilterStepError) -> FilterTarget {
    var values = target
    var rest = steps
    while !rest.isEmpty {
      let (next, count) = try self.target(of: rest, from: values, path, spreads)
      (values, rest) = (next, rest.dropFirst(count))
    }
    switch values {
    case .rows(let rows):
      guard aggregate.isOfNumber else {
        throw FilterStepError(message: "@\(aggregate.rawValue) is for values, and not for objects: \(path)")
      }
      return .field(aggregate == .count ? rows.count : rows.isEmpty)
    case .field(let field):
      guard let result = try field.target(of: .aggregate(aggregate), spreads: spreads) else {
        throw FilterStepError(
          message: "@\(aggregate.rawValue) is for several values, and \(path) is of \(field.kind.described)")
      }
      return result
    case .members(let rows, let member):
      let (kind, numbers) = (values.kind.element, values.numbers)
      let addsUp = aggregate == .sum || aggregate == .avg
      if addsUp, kind != .number, kind != .unknown {
        throw FilterStepError(message: "@\(aggregate.rawValue) adds numbers, and not \(kind.described)")
      }
      if case .field(let field) = member, let total = field.typed?.aggregate(aggregate, over: rows) {
        return .field(total)
      }
      let read = aggregate == .count || addsUp ? values.read : values.readDistinct
      return .field(
        FilterField(
          .aggregate(aggregate, rows.path, member.term),
          kind: aggregate == .count ? .number : aggregate == .isEmpty ? .bool : kind,
          numbers: aggregate.numbers(of: numbers), read: { aggregate.result(read($0, $1), of: numbers) },
          named: values.named))
    }
  }
}
