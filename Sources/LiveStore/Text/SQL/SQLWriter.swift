import Foundation

/// Writes conditions in SQL. A condition that is neither true nor false (null) there counts as false, and under `NOT` it
/// is asked whether it is true (F10).
struct SQLWriter<Element: Entity> {
  let dialect: SQLDialect
  private let column: (String) -> String
  private(set) var arguments: [SQLArgument] = []

  init(dialect: SQLDialect, column: @escaping (String) -> String) {
    (self.dialect, self.column) = (dialect, column)
  }

  /// A condition as SQL.
  struct Text {
    let sql: String
    /// Whether exactly the rows that meet it pass; otherwise these and others.
    var isExact = true
  }

  /// The members of a conjunction that SQL can say, and those that must be tested on the rows.
  mutating func condition(_ filter: ConditionTree) -> (sql: String, rest: [ConditionTree]) {
    var (texts, rest): ([String], [ConditionTree]) = ([], [])
    for member in filter.conjuncts {
      let before = arguments
      if let syntax = try? FilterSyntax(member.term), let text = text(syntax) {
        texts.append(text.sql)
        if !text.isExact { rest.append(member) }
      } else {
        arguments = before
        rest.append(member)
      }
    }
    return (texts.isEmpty ? "TRUE" : texts.joined(separator: " AND "), rest)
  }

  /// The terms of an order; nil if SQL has no such order.
  func order(_ order: RowOrder) -> String? {
    var terms: [String] = []
    for key in order.keys {
      guard case .path(let path, _)? = try? FilterSyntax.Operand(key.path, [nil]),
        let column = self.column(path),
        column.type.isOrdered
      else { return nil }
      let direction = key.order == .ascending ? " ASC" : " DESC"
      let nulls = key.order == .ascending ? " NULLS FIRST" : " NULLS LAST"
      terms.append(ordered(column) + direction + (dialect == .postgreSQL ? nulls : ""))
    }
    return terms.joined(separator: ", ")
  }
}

extension SQLWriter {
  private mutating func text(_ syntax: FilterSyntax) -> Text? {
    switch syntax {
    case .constant(let answer, _): return Text(sql: answer ? "TRUE" : "FALSE")
    case .not(let member, _):
      guard let member = text(member), member.isExact else { return nil }
      return Text(sql: "(\(member.sql)) IS NOT TRUE")
    case .and(let members, _):
      var (texts, isExact): ([String], Bool) = ([], true)
      for member in members {
        let before = arguments
        if let text = text(member) {
          texts.append(text.sql)
          isExact = isExact && text.isExact
        } else {
          arguments = before
          isExact = false
        }
      }
      return texts.isEmpty ? nil : Text(sql: "(\(texts.joined(separator: " AND ")))", isExact: isExact)
    case .or(let members, _):
      var (texts, isExact): ([String], Bool) = ([], true)
      for member in members {
        guard let text = text(member) else { return nil }
        texts.append(text.sql)
        isExact = isExact && text.isExact
      }
      return Text(sql: "(\(texts.joined(separator: " OR ")))", isExact: isExact)
    case .comparison(let comparison): return text(comparison)
    }
  }

  private mutating func text(_ comparison: FilterSyntax.Comparison) -> Text? {
    guard comparison.options.isEmpty, case .path(let path, _) = comparison.left, let left = column(path)
    else {
      return nil
    }
    switch comparison.right {
    case .literal(.null, _): return isNull(left, comparison.relation)
    case .literal(let literal, _):
      return value(literal, left.type).flatMap { text(left, comparison.relation, $0) }
    case .list(let elements, _): return text(left, comparison.relation, elements)
    case .path(let path, _): return column(path).flatMap { text(left, comparison.relation, $0) }
    default: return nil
    }
  }

  private func isNull(_ column: Column, _ relation: RelationalOperator) -> Text? {
    switch relation {
    case .equal: Text(sql: "\(column.name) IS NULL")
    case .notEqual: Text(sql: "\(column.name) IS NOT NULL")
    default: nil
    }
  }

  private mutating func text(
    _ column: Column, _ relation: RelationalOperator, _ value: SQLArgument
  ) -> Text? {
    switch relation {
    case .equal: return Text(sql: "\(compared(column)) = \(placeholder(value))")
    case .notEqual: return Text(sql: "\(compared(column)) \(isDistinct) \(placeholder(value))")
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard column.type.isOrdered else { return nil }
      return Text(sql: "\(ordered(column)) \(relation.rawValue) \(placeholder(value))")
    case .contains, .beginsWith, .endsWith:
      guard case .text(let text) = value else { return nil }
      return part(column, relation, text)
    default: return nil
    }
  }

  /// A test for a part of a text. The database finds parts of characters, too.
  private mutating func part(_ column: Column, _ relation: RelationalOperator, _ text: String) -> Text? {
    guard !text.isEmpty else { return Text(sql: "\(column.name) IS NOT NULL") }
    let (name, count) = (column.name, text.unicodeScalars.count)
    let value = placeholder(.text(text))
    let isSQLite = dialect == .sqlite
    let sql =
      switch relation {
      case .contains: isSQLite ? "instr(\(name), \(value)) > 0" : "position(\(value) IN \(name)) > 0"
      // SQLite counts from the end no further than to a zero in the text.
      case .endsWith where isSQLite: "instr(\(name), \(value)) > 0"
      case .beginsWith: "\(isSQLite ? "substr(\(name), 1, \(count))" : "left(\(name), \(count))") = \(value)"
      default: "right(\(name), \(count)) = \(value)"
      }
    return Text(sql: sql, isExact: false)
  }

  private mutating func text(
    _ column: Column, _ relation: RelationalOperator, _ elements: [FilterSyntax.Operand]
  ) -> Text? {
    var (values, hasNull): ([SQLArgument], Bool) = ([], false)
    for case .literal(let literal, _) in elements {
      if case .null = literal {
        hasNull = true
      } else {
        guard let value = value(literal, column.type) else { return nil }
        values.append(value)
      }
    }
    switch relation {
    case .in:
      var alternatives = hasNull ? ["\(column.name) IS NULL"] : []
      if !values.isEmpty {
        let list = values.map { placeholder($0) }.joined(separator: ", ")
        alternatives.append("\(compared(column)) IN (\(list))")
      }
      guard alternatives.count != 1 else { return Text(sql: alternatives[0]) }
      return Text(sql: alternatives.isEmpty ? "FALSE" : "(\(alternatives.joined(separator: " OR ")))")
    case .between:
      guard values.count == 2, column.type.isOrdered else { return nil }
      let (low, high) = (placeholder(values[0]), placeholder(values[1]))
      return Text(sql: "\(ordered(column)) BETWEEN \(low) AND \(high)")
    default: return nil
    }
  }

  private func text(_ left: Column, _ relation: RelationalOperator, _ right: Column) -> Text? {
    guard left.type.isComparable(with: right.type, in: dialect) else { return nil }
    switch relation {
    case .equal:
      return Text(
        sql: "\(compared(left)) \(dialect == .sqlite ? "IS" : "IS NOT DISTINCT FROM") \(right.name)")
    case .notEqual: return Text(sql: "\(compared(left)) \(isDistinct) \(right.name)")
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard left.type.isOrdered, right.type.isOrdered else { return nil }
      return Text(sql: "\(ordered(left)) \(relation.rawValue) \(right.name)")
    default: return nil
    }
  }
}

// MARK: Columns and values

extension SQLWriter {
  private struct Column {
    let name: String
    let type: SQLColumnType
  }

  /// The column of a property of the row itself; nil for other values.
  private func column(_ path: FilterPath) -> Column? {
    guard let names = path.names,
      let (target, count) = try? FilterRoot<Element>.target(of: names[...], spreads: false),
      count == names.count, case .field(let field) = target, let type = field.typed?.traits.column
    else { return nil }
    // The schema's own name: a database takes an equal name of other scalars for another one, or for a text.
    let written = names.joined(separator: ".")
    let name = Element.schema.definitions.lazy.compactMap(\.name).first { $0 == written } ?? written
    return Column(name: Quoting.quoted(column(name), by: "\""), type: type)
  }

  /// A column in a comparison for equality.
  private func compared(_ column: Column) -> String {
    column.type.kind == .text && dialect == .sqlite ? "\(column.name) COLLATE BINARY" : column.name
  }

  /// A column in a comparison by order, which for text is that of its code points.
  private func ordered(_ column: Column) -> String {
    guard column.type.kind == .text else { return column.name }
    return "\(column.name) COLLATE \(dialect == .sqlite ? "BINARY" : "\"C\"")"
  }

  private var isDistinct: String { dialect == .sqlite ? "IS NOT" : "IS DISTINCT FROM" }

  private mutating func placeholder(_ value: SQLArgument) -> String {
    arguments.append(value)
    return dialect == .sqlite ? "?" : "$\(arguments.count)"
  }

  /// A literal as a value of a column; nil if the database has no such value.
  private func value(_ literal: FilterLiteral, _ type: SQLColumnType) -> SQLArgument? {
    switch (type.kind, literal) {
    case (_, .object(_, let id)): return value(id, type)
    case (.bool, .bool(let value)): return .bool(value)
    case (.integer, .number(let number)), (.integer, .fraction(let number)):
      return number.integer.map { .integer($0) }
    case (.real, .number(let number)), (.real, .fraction(let number)):
      return JSONNumber(number.double) == number ? .real(number.double) : nil
    case (.real, .double(let value)): return .real(value)
    // Zero at the end of text is its end in C.
    case (.text, .text(let text)) where !text.unicodeScalars.contains("\0"):
      return .text(text.composed)
    case (.data, .data(let data)): return .data(data)
    case (.date, .date(let date)): return .date(date.date)
    case (.uuid, .uuid(let uuid)): return .uuid(uuid)
    default: return nil
    }
  }
}
