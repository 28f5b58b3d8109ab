import LiveStore

/// Texts of filters, valid or not.
enum PredicateStringCases {
  static func run(_ content: JSONValue, _ report: inout CaseReport) async throws {
    for value in try content.elements("cases") {
      await report.run(value) { value in try check(value) }
    }
  }

  private static func check(_ value: JSONValue) throws(CaseFailure) {
    let text = try value.text("string")
    guard value["valid"].isTrue else {
      let isChecked = try value.text("dialect") != "rql"
      guard let syntax = try? QuerySyntax(parsing: text) else { return }
      if isChecked, (try? DialectItem.query(format: text)) == nil { return }
      throw .wrong("read as \(syntax)")
    }
    do throws(FilterSyntaxError) {
      let syntax = try QuerySyntax(parsing: text)
      guard let canonical = value["canonical"].text else {
        throw FilterSyntaxError(column: 1, message: "the case has no canonical form")
      }
      if canonical != "\(syntax)" {
        throw FilterSyntaxError(column: 1, message: "expected \(canonical), seen \(syntax)")
      }
      let again = try QuerySyntax(parsing: "\(syntax)")
      if "\(again)" != canonical { throw FilterSyntaxError(column: 1, message: "read again as \(again)") }
    } catch {
      throw .wrong("\(error)")
    }
  }
}

/// What the texts in the dialect of NSPredicate are about.
private struct DialectItem: Entity {
  struct Part: Entity {
    var id = 0, price = 0.0
    static let schema = Schema<Part> { \.price }
  }

  var id = 0, name = "", age = 0, flag = false
  var items = RefList<Part>()
  var scores: [Int] = []
  static let schema = Schema<DialectItem> {
    \.name
    \.age
    \.flag
    Relation(\.items)
    \.scores
  }
}
