import LiveStore

/// What the paths of a filter are read in.
struct Scope {
  let tables: Tables
  /// What paths begin with inside a subquery.
  var variable: String?

  func way(_ path: String) throws(CaseFailure) -> Way {
    guard let variable else { return Way(path, tables) }
    guard path.hasPrefix(variable + ".") else {
      throw .notApplicable("subqueries that read the row around them: \(path)")
    }
    return Way(String(path.dropFirst(variable.count + 1)), tables)
  }
}

/// Filters out of the cases' trees, through the typed expressions.
extension EntityTable {
  func condition(_ tree: JSONValue, _ scope: Scope) throws(CaseFailure) -> Expr<Bool> {
    let never = Row<Element>().id.never
    if tree["true"].isTrue { return !never }
    if tree["false"].isTrue { return never }
    if let parts = tree["and"].elements {
      var result: Expr<Bool>?
      for part in parts {
        let next = try condition(part, scope)
        result = result.map { $0 && next } ?? next
      }
      return result ?? !never
    }
    if let parts = tree["or"].elements {
      var result: Expr<Bool>?
      for part in parts {
        let next = try condition(part, scope)
        result = result.map { $0 || next } ?? next
      }
      return result ?? never
    }
    if !tree["not"].isNull { return !(try condition(tree["not"], scope)) }
    return try comparison(tree, scope)
  }

  private func comparison(_ tree: JSONValue, _ scope: Scope) throws(CaseFailure) -> Expr<Bool> {
    let word = try tree.text("cmp")
    guard let operation = ValueTest.Operation(rawValue: word) else {
      throw .notApplicable("text filters: \(word)")
    }
    let options = try Self.options(tree["options"])
    func test(_ operation: ValueTest.Operation, _ constants: [Constant]) -> ValueTest {
      ValueTest(operation: operation, constants: constants, options: options)
    }
    let (left, right) = (try operand(tree["lhs"], scope), try operand(tree["rhs"], scope))
    switch (left, right) {
    case (.many(let many, let way, let quantifier), .constants(let constants)):
      return try condition(many, way, quantifier, test(operation, constants))
    case (.constants(let constants), .many(let many, let way, let quantifier)):
      if operation == .member {
        return try condition(many, way, quantifier, test(.equal, constants))
      }
      guard let flipped = operation.flipped else { throw .notApplicable("text filters: \(word) with a list") }
      return try condition(many, way, quantifier, test(flipped, constants))
    case (.value(let reading), .constants(let constants)):
      return try reading.condition(test(operation, constants))
    case (.count(let reading), .constants(let constants)):
      return try reading.countCondition(test(operation, constants))
    case (.constants(let constants), .value(let reading)):
      guard let flipped = operation.flipped else {
        throw .notApplicable("text filters: tests of the elements of a list")
      }
      return try reading.condition(test(flipped, constants))
    case (.constants(let constants), .count(let reading)):
      guard let flipped = operation.flipped else { throw .malformed("\(tree.shortened) compares no numbers") }
      return try reading.countCondition(test(flipped, constants))
    case (.value(let reading), .value(let other)):
      guard options.isEmpty else {
        throw .notApplicable("text filters: \(word)\(options) between two properties")
      }
      return try reading.pair(operation, with: other)
    case (.constants, .constants): throw .notApplicable("text filters: comparing two constants")
    case (.count, _), (_, .count): throw .notApplicable("text filters: comparing a count with a property")
    case (.many, _), (_, .many): throw .notApplicable("text filters: comparing a list with a property")
    }
  }

  private func condition(
    _ many: any ManyRows<Element>, _ way: Way, _ quantifier: String, _ test: ValueTest
  ) throws(CaseFailure) -> Expr<Bool> {
    let isMet = try many.condition(way, isAll: quantifier == "ALL", test)
    return quantifier == "NONE" ? !isMet : isMet
  }

  private enum Operand {
    case value(any Reading<Element>)
    /// The number of characters, bytes or elements of a value.
    case count(any Reading<Element>)
    /// Values from several rows, of which some, all or none are to pass.
    case many(any ManyRows<Element>, Way, String)
    case constants([Constant])
  }

  private func operand(_ json: JSONValue, _ scope: Scope) throws(CaseFailure) -> Operand {
    if !json["subquery"].isNull {
      let subquery = json["subquery"]
      guard case .many(let many, let way) = try find(scope.way(subquery.text("list"))), way.isAtEnd else {
        throw .notApplicable("subqueries over lists of lists")
      }
      return .value(
        try many.count(where: subquery["where"], variable: subquery.text("var"), scope.tables))
    }
    if !json["arith"].isNull || !json["l"].isNull { throw .notApplicable("text filters: arithmetic") }
    if let elements = json["list"].elements {
      if !json["modifier"].isNull { throw .notApplicable("text filters: a modifier on a list of constants") }
      var constants: [Constant] = []
      for element in elements { constants.append(try Constant(element)) }
      return .constants(constants)
    }
    if json["key"].isNull { return .constants([try Constant(json)]) }
    return try operand(along: json, scope)
  }

  private func operand(along json: JSONValue, _ scope: Scope) throws(CaseFailure) -> Operand {
    let found = try find(scope.way(json.text("key")))
    let (word, modifier) = (json["agg"].text, json["modifier"].text)
    switch found {
    case .many(let many, let way):
      if let word {
        guard way.isAtEnd else { throw .notApplicable("aggregates: \(word) over lists of lists") }
        return .value(try many.aggregate(word, Way(json["sub"].text ?? "", scope.tables)))
      }
      return .many(many, way, modifier ?? "ANY")
    case .value(let reading):
      if let modifier { throw .notApplicable("text filters: \(modifier)") }
      guard let word else { return .value(reading) }
      if word == "count" { return .count(reading) }
      throw .notApplicable("aggregates: \(word) of a list")
    }
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
