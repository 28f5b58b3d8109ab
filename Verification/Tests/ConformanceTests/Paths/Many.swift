import LiveStore

/// Rows that a list of a row leads to, or that link to it.
struct Many<Root: CaseEntity, Target: CaseEntity>: ManyRows {
  let name: String
  let rows: LinkedRows<Target>
  /// The list itself; nil for rows that link.
  let list: (any Reading<Root>)?
}

/// ``Many`` without the type of the rows it leads to.
protocol ManyRows<Root>: Sendable {
  associatedtype Root: CaseEntity

  /// What a path that ends here reads: the list itself, or which rows there are.
  var whole: any Reading<Root> { get }

  /// The values of a path from each of them.
  func reading(_ way: Way) throws(CaseFailure) -> any Reading<Root>
  /// Whether a path from some of them, or from all, leads to values that pass.
  func condition(_ way: Way, isAll: Bool, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool>
  /// What a path from each of them comes to.
  func aggregate(_ word: String, _ way: Way) throws(CaseFailure) -> any Reading<Root>
  /// How many of them meet a condition, whose paths begin with a variable.
  func count(
    where tree: JSONValue, variable: String, _ tables: Tables
  ) throws(CaseFailure) -> any Reading<Root>
}

extension Many {
  var whole: any Reading<Root> { list ?? TypedReading(name, rows.values(\.id)) }

  func reading(_ way: Way) throws(CaseFailure) -> any Reading<Root> {
    if way.isAtEnd { return whole }
    switch try way.tables.table(of: Target.self).find(way) {
    case .value(let inner): return inner.each(of: self)
    case .many(let inner, let way): return try inner.reading(way).each(of: self)
    }
  }

  func condition(_ way: Way, isAll: Bool, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    let inner: Expr<Bool>
    if way.isAtEnd {
      inner = try Int.condition(Row<Target>().id, test)
    } else {
      switch try way.tables.table(of: Target.self).find(way) {
      case .value(let reading): inner = try reading.condition(test)
      case .many(let many, let way): inner = try many.condition(way, isAll: isAll, test)
      }
    }
    let filter = Filter<Target> { _ in inner }
    return isAll ? rows.allSatisfy(filter) : rows.contains(filter)
  }

  func aggregate(_ word: String, _ way: Way) throws(CaseFailure) -> any Reading<Root> {
    if word == "count" { return TypedReading("\(name).@count", rows.count) }
    guard !way.isAtEnd, case .value(let inner) = try way.tables.table(of: Target.self).find(way) else {
      throw .notApplicable("aggregates: \(word) over lists of lists")
    }
    return try inner.aggregate(word, of: self)
  }

  func count(
    where tree: JSONValue, variable: String, _ tables: Tables
  ) throws(CaseFailure) -> any Reading<Root> {
    let scope = Scope(tables: tables, variable: variable)
    let condition = try tables.table(of: Target.self).condition(tree, scope)
    return TypedReading("subquery of \(name)", rows.where(Filter { _ in condition }).count)
  }
}

/// What a path leads to: a value, or the first list or links on it with what is left of the path.
enum Found<Root: CaseEntity> {
  case value(any Reading<Root>)
  case many(any ManyRows<Root>, Way)

  /// The value or values at its end.
  func reading() throws(CaseFailure) -> any Reading<Root> {
    switch self {
    case .value(let reading): reading
    case .many(let many, let way): try many.reading(way)
    }
  }
}

/// A path on its way over relations.
struct Way {
  let tables: Tables
  let path: String
  private var names: ArraySlice<Substring>

  init(_ path: String, _ tables: Tables) {
    self.tables = tables
    self.path = path
    names = path.split(separator: ".", omittingEmptySubsequences: false)[...]
  }

  var isAtEnd: Bool { names.isEmpty }

  /// Takes the next name.
  mutating func next() throws(CaseFailure) -> String {
    guard let name = names.popFirst() else { throw .malformed("the path \(path) ends too early") }
    return String(name)
  }
}

/// The tables of a case, and the names it gives to links seen from their targets.
struct Tables: Sendable {
  struct Backlink {
    let type: String
    let property: String
  }

  private let tables: [String: any CaseTable]
  private let backlinks: [String: Backlink]

  init(_ tables: [any CaseTable], backlinks: [JSONValue] = []) throws(CaseFailure) {
    self.tables = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var names: [String: Backlink] = [:]
    for json in backlinks {
      let key = "\(try json.text("type")).\(try json.text("name"))"
      names[key] = Backlink(type: try json.text("from"), property: try json.text("prop"))
    }
    self.backlinks = names
  }

  func table(_ name: String) throws(CaseFailure) -> any CaseTable {
    guard let table = tables[name] else { throw .malformed("there is no type \(name)") }
    return table
  }

  func table<Element: CaseEntity>(of _: Element.Type) throws(CaseFailure) -> EntityTable<Element> {
    for table in tables.values { if let table = table as? EntityTable<Element> { return table } }
    throw .malformed("there is no type \(Element.self)")
  }

  func backlink(_ name: String, of type: String) -> Backlink? { backlinks["\(type).\(name)"] }
}
