import LiveStore

/// Filters out of the cases' trees, through the typed expressions.
extension EntityTable {
  func filtered(_ query: Query<Element>, _ tree: JSONValue) throws(CaseFailure) -> Query<Element> {
    var failure: CaseFailure?
    let result = query.where { row in
      do throws(CaseFailure) {
        return try condition(tree, row)
      } catch {
        failure = error
        return row.id.never
      }
    }
    if let failure { throw failure }
    return result
  }

  private func condition(_ tree: JSONValue, _ row: Row<Element>) throws(CaseFailure) -> Expr<Bool> {
    if tree["true"].isTrue { return !row.id.never }
    if tree["false"].isTrue { return row.id.never }
    if let parts = tree["and"].elements {
      var result: Expr<Bool>?
      for part in parts {
        let next = try condition(part, row)
        result = result.map { $0 && next } ?? next
      }
      return result ?? !row.id.never
    }
    if let parts = tree["or"].elements {
      var result: Expr<Bool>?
      for part in parts {
        let next = try condition(part, row)
        result = result.map { $0 || next } ?? next
      }
      return result ?? row.id.never
    }
    if !tree["not"].isNull { return !(try condition(tree["not"], row)) }
    return try comparison(tree, row)
  }

  private func comparison(_ tree: JSONValue, _ row: Row<Element>) throws(CaseFailure) -> Expr<Bool> {
    let word = try tree.text("cmp")
    guard let operation = ValueTest.Operation(rawValue: word) else {
      throw .notApplicable("text filters: \(word)")
    }
    let options = try Self.options(tree["options"])
    let (left, right) = (try operand(tree["lhs"]), try operand(tree["rhs"]))
    switch (left, right) {
    case (.column(let column), .constants(let constants)):
      return try column.condition(
        row, ValueTest(operation: operation, constants: constants, options: options))
    case (.count(let column), .constants(let constants)):
      return try column.countCondition(
        row, ValueTest(operation: operation, constants: constants, options: options))
    case (.constants(let constants), .column(let column)):
      guard let flipped = operation.flipped else {
        throw .notApplicable("text filters: tests of the elements of a list")
      }
      return try column.condition(row, ValueTest(operation: flipped, constants: constants, options: options))
    case (.constants(let constants), .count(let column)):
      guard let flipped = operation.flipped else { throw .malformed("\(tree.shortened) compares no numbers") }
      return try column.countCondition(
        row, ValueTest(operation: flipped, constants: constants, options: options))
    case (.column(let column), .column(let other)):
      guard options.isEmpty else {
        throw .notApplicable("text filters: \(word)\(options) between two properties")
      }
      return try column.pair(row, operation, with: other)
    case (.constants, .constants): throw .notApplicable("text filters: comparing two constants")
    case (.count, .column), (.column, .count), (.count, .count):
      throw .notApplicable("text filters: comparing a count with a property")
    }
  }

  private enum Operand {
    case column(any Column<Element>)
    case count(any Column<Element>)
    case constants([Constant])
  }

  private func operand(_ json: JSONValue) throws(CaseFailure) -> Operand {
    if !json["subquery"].isNull { throw .notApplicable("subqueries") }
    if !json["arith"].isNull || !json["l"].isNull { throw .notApplicable("text filters: arithmetic") }
    if let elements = json["list"].elements {
      if !json["modifier"].isNull { throw .notApplicable("text filters: a modifier on a list of constants") }
      var constants: [Constant] = []
      for element in elements { constants.append(try Constant(element)) }
      return .constants(constants)
    }
    if json["key"].isNull { return .constants([try Constant(json)]) }
    let name = try json.text("key")
    let isCount = json["agg"] == "count"
    if let aggregate = json["agg"].text, !isCount {
      throw .notApplicable("aggregates: \(aggregate) of a list")
    }
    guard let column = columns.first(where: { $0.name == name }) else { throw capability(following: name) }
    if let modifier = json["modifier"].text { throw .notApplicable("text filters: \(modifier)") }
    return isCount ? .count(column) : .column(column)
  }

  private static func options(_ json: JSONValue) throws(CaseFailure) -> TextOptions {
    var options: TextOptions = []
    for letter in json.text ?? "" {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      default: throw .notApplicable("text filters: the option [\(letter)]")
      }
    }
    return options
  }
}
