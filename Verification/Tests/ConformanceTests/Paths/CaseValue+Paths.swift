import LiveStore

extension CaseValue {
  static func find<Root: CaseEntity>(_ way: Way, _ expr: Expr<Self>) throws(CaseFailure) -> Found<Root> {
    guard way.isAtEnd else { throw .malformed("\(way.path) goes on behind a value") }
    return .value(TypedReading(way.path, expr))
  }

  static func find<Root: CaseEntity>(
    _ way: Way, optional expr: Expr<Self?>
  ) throws(CaseFailure) -> Found<Root> {
    guard way.isAtEnd else { throw .malformed("\(way.path) goes on behind a value") }
    return .value(TypedReading(way.path, expr))
  }

  static func find<Root: CaseEntity, Target: CaseEntity>(
    _ way: Way, through link: Expr<Ref<Target>?>, _ keyPath: any KeyPath<Target, Self> & Sendable
  ) throws(CaseFailure) -> Found<Root> {
    try find(way, optional: link[dynamicMember: keyPath])
  }

  static func linking<Source: CaseEntity, Target: CaseEntity>(
    _ keyPath: any KeyPath<Source, Self> & Sendable, to link: Expr<Ref<Target>?>?, _ name: String
  ) throws(CaseFailure) -> LinkedRows<Source> {
    throw .malformed("\(name) is no relation")
  }

  static func list<Owner: CaseEntity>(
    _ keyPath: any KeyPath<Owner, Self> & Sendable, of id: Int, _ description: JSONValue, _ tables: Tables
  ) throws(CaseFailure) -> any OpenQuery {
    throw .malformed("\(description.shortened) names no list")
  }

  static func apply(_ edit: ListEdit, to value: inout Self) throws {
    throw CaseFailure.malformed("\(typeName) is not a list")
  }

  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Self>>
  ) throws(CaseFailure) -> any Reading<Root> {
    throw .notApplicable("aggregates: \(word) of \(typeName)")
  }

  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Self?>>
  ) throws(CaseFailure) -> any Reading<Root> {
    throw .notApplicable("aggregates: \(word) of \(typeName)?")
  }
}

extension Optional where Wrapped: CaseValue {
  static func find<Root: CaseEntity>(_ way: Way, _ expr: Expr<Wrapped?>) throws(CaseFailure) -> Found<Root> {
    try Wrapped.find(way, optional: expr)
  }

  static func find<Root: CaseEntity, Target: CaseEntity>(
    _ way: Way, through link: Expr<Ref<Target>?>, _ keyPath: any KeyPath<Target, Wrapped?> & Sendable
  ) throws(CaseFailure) -> Found<Root> {
    try Wrapped.find(way, optional: link[dynamicMember: keyPath])
  }

  static func linking<Source: CaseEntity, Target: CaseEntity>(
    _ keyPath: any KeyPath<Source, Wrapped?> & Sendable, to link: Expr<Ref<Target>?>?, _ name: String
  ) throws(CaseFailure) -> LinkedRows<Source> {
    try Wrapped.linking(optional: keyPath, to: link, name)
  }

  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Wrapped?>>
  ) throws(CaseFailure) -> any Reading<Root> {
    try Wrapped.aggregate(word, of: many, path)
  }
}

extension CaseValue {
  static func linking<Source: CaseEntity, Target: CaseEntity>(
    optional keyPath: any KeyPath<Source, Self?> & Sendable, to link: Expr<Ref<Target>?>?, _ name: String
  ) throws(CaseFailure) -> LinkedRows<Source> {
    throw .malformed("\(name) is no relation")
  }
}

// MARK: Links

extension Ref: CaseValue where Target: CaseEntity {
  static var typeName: String { "link" }
  static var columnType: String { "link:\(Target.self)" }

  init(_ json: JSONValue) throws(CaseFailure) { self.init(try Int(json)) }

  var json: JSONValue { JSONValue(id) }

  static func place(of constant: Constant) throws(CaseFailure) -> ConstantPlace<Ref> {
    guard constant.type == "link" || constant.type == "int" else { throw .comparing(constant.type, typeName) }
    return .value(try Ref(constant.value))
  }

  static func find<Root: CaseEntity>(
    _ way: Way, optional expr: Expr<Ref<Target>?>
  ) throws(CaseFailure) -> Found<Root> {
    if way.isAtEnd { return .value(TypedReading(way.path, expr)) }
    return try way.tables.table(of: Target.self).find(way, through: expr)
  }

  static func linking<Source: CaseEntity, Goal: CaseEntity>(
    optional keyPath: any KeyPath<Source, Ref<Target>?> & Sendable, to link: Expr<Ref<Goal>?>?, _ name: String
  ) throws(CaseFailure) -> LinkedRows<Source> {
    guard Goal.self == Target.self else { throw .malformed("\(name) leads to another type") }
    guard let link else { return Row<Target>().linking(keyPath) }
    guard let link = link as? Expr<Ref<Target>?> else { throw .malformed("\(name) leads to another type") }
    return link.linking(keyPath)
  }
}

extension RefList: CaseValue where Target: CaseEntity {
  static var typeName: String { "list:link" }
  static var columnType: String { "list:\(Target.self)" }

  init(_ json: JSONValue) throws(CaseFailure) {
    guard let elements = json.elements else { throw .malformed("\(json.shortened) is not an array") }
    self.init(ids: try elements.integers())
  }

  var json: JSONValue { .array(ids.map { JSONValue($0) }) }

  static func find<Root: CaseEntity>(
    _ way: Way, _ expr: Expr<RefList<Target>>
  ) throws(CaseFailure) -> Found<Root> {
    .many(
      Many<Root, Target>(name: way.path, rows: expr.objects, list: TypedReading(way.path, expr)), way)
  }

  static func find<Root: CaseEntity>(
    _ way: Way, optional expr: Expr<RefList<Target>?>
  ) throws(CaseFailure) -> Found<Root> {
    .many(
      Many<Root, Target>(name: way.path, rows: expr.objects, list: TypedReading(way.path, expr)), way)
  }

  static func linking<Source: CaseEntity, Goal: CaseEntity>(
    _ keyPath: any KeyPath<Source, RefList<Target>> & Sendable, to link: Expr<Ref<Goal>?>?, _ name: String
  ) throws(CaseFailure) -> LinkedRows<Source> {
    guard Goal.self == Target.self else { throw .malformed("\(name) leads to another type") }
    guard let link else { return Row<Target>().linking(keyPath) }
    guard let link = link as? Expr<Ref<Target>?> else { throw .malformed("\(name) leads to another type") }
    return link.linking(keyPath)
  }

  static func list<Owner: CaseEntity>(
    _ keyPath: any KeyPath<Owner, RefList<Target>> & Sendable, of id: Int, _ description: JSONValue,
    _ tables: Tables
  ) throws(CaseFailure) -> any OpenQuery {
    try tables.table(of: Target.self).open(Target.linked(from: keyPath, of: id), description, tables)
  }

  static func apply(_ edit: ListEdit, to value: inout RefList<Target>) throws {
    try edit.apply(toList: &value) { try Ref($0) }
  }
}

// MARK: Aggregates

extension OrderedCaseValue {
  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Self>>
  ) throws(CaseFailure) -> any Reading<Root> {
    try extreme(word, of: many, path)
  }

  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Self?>>
  ) throws(CaseFailure) -> any Reading<Root> {
    try extreme(word, of: many, path)
  }

  fileprivate static func extreme<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Self>>
  ) throws(CaseFailure) -> any Reading<Root> {
    switch word {
    case "min": return TypedReading("\(many.name).@min", many.rows.min(path))
    case "max": return TypedReading("\(many.name).@max", many.rows.max(path))
    default: throw .notApplicable("aggregates: \(word) of \(typeName)")
    }
  }

  fileprivate static func extreme<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Self?>>
  ) throws(CaseFailure) -> any Reading<Root> {
    switch word {
    case "min": return TypedReading("\(many.name).@min", many.rows.min(path))
    case "max": return TypedReading("\(many.name).@max", many.rows.max(path))
    default: throw .notApplicable("aggregates: \(word) of \(typeName)?")
    }
  }
}

extension Int {
  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Int>>
  ) throws(CaseFailure) -> any Reading<Root> {
    switch word {
    case "sum": return TypedReading("\(many.name).@sum", many.rows.sum(path))
    case "avg": return TypedReading("\(many.name).@avg", many.rows.average(path))
    default: return try extreme(word, of: many, path)
    }
  }

  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Int?>>
  ) throws(CaseFailure) -> any Reading<Root> {
    switch word {
    case "sum": return TypedReading("\(many.name).@sum", many.rows.sum(path))
    case "avg": return TypedReading("\(many.name).@avg", many.rows.average(path))
    default: return try extreme(word, of: many, path)
    }
  }
}

extension Double {
  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Double>>
  ) throws(CaseFailure) -> any Reading<Root> {
    switch word {
    case "sum": return TypedReading("\(many.name).@sum", many.rows.sum(path))
    case "avg": return TypedReading("\(many.name).@avg", many.rows.average(path))
    default: return try extreme(word, of: many, path)
    }
  }

  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Double?>>
  ) throws(CaseFailure) -> any Reading<Root> {
    switch word {
    case "sum": return TypedReading("\(many.name).@sum", many.rows.sum(path))
    case "avg": return TypedReading("\(many.name).@avg", many.rows.average(path))
    default: return try extreme(word, of: many, path)
    }
  }
}
