import LiveStore

/// What came of one file of cases.
struct CaseReport {
  /// A case with what there is to say of it.
  struct Remark {
    let id: String
    let name: String
    let text: String

    var line: String { name.isEmpty ? "\(id): \(text)" : "\(id) (\(name)): \(text)" }
  }

  let file: String
  private(set) var right = 0
  private(set) var wrong: [Remark] = []
  private(set) var notApplicable: [Remark] = []

  init(file: String) { self.file = file }

  /// The line that ends the run.
  var summary: String {
    "\(file): \(right) right, \(wrong.count) wrong, \(notApplicable.count) not applicable"
  }

  /// The wrong cases, and those that are not applicable, a line each.
  var details: [String] {
    wrong.map { "\(file) wrong \($0.line)" } + notApplicable.map { "\(file) not applicable \($0.line)" }
  }

  /// Runs one case and counts how it ended.
  mutating func run(_ value: JSONValue, _ body: (JSONValue) async throws -> Void) async {
    do {
      try await body(value)
      right += 1
    } catch CaseFailure.notApplicable(let capability) {
      notApplicable.append(remark(value, capability))
    } catch CaseFailure.wrong(let text) {
      wrong.append(remark(value, text))
    } catch CaseFailure.malformed(let text) {
      wrong.append(remark(value, "cannot be read: \(text)"))
    } catch {
      wrong.append(remark(value, "threw \(error)"))
    }
  }

  /// Counts a file that cannot be read as one wrong case.
  mutating func fail(_ text: String) {
    wrong.append(Remark(id: file, name: "", text: text))
  }

  private func remark(_ value: JSONValue, _ text: String) -> Remark {
    let name = ["name", "nspredicate", "rql", "string", "promise"].lazy.compactMap { value[$0].text }.first
    return Remark(id: value["id"].text ?? "without id", name: name ?? "", text: text)
  }
}
