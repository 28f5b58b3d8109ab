import LiveStore

/// Texts of filters, valid or not.
enum PredicateStringCases {
  static func run(_ content: JSONValue, _ report: inout CaseReport) async throws {
    for value in try content.elements("cases") {
      await report.run(value) { _ in throw CaseFailure.notApplicable("text filters") }
    }
  }
}
