/// Cases in which the library is wrong, by their texts, with a sentence on what is wrong.
enum KnownFilterIssues {
  /// Texts with their argument that end the process: the compilation of the filter recurses without end.
  static let crashes: Set<String> = Set(
    ["small < 300", "small < -129", "big < -1"].flatMap { text in
      CaseRelation.all.dropFirst(2).map { text.replacing("<", with: $0) }
    })

  /// Why a case fails, if it is known.
  static func evaluation(of format: String, _ arguments: [(any Sendable)?]) -> String? {
    if let issue = evaluation[format] { return issue }
    let property = format.split(separator: " ")[0]
    let value = arguments.last.flatMap(\.self).map { "\($0)" }
    if ["real", "maybeReal", "float"].contains(property), value?.allSatisfy(\.isNumber) == true {
      return "An integer constant is rounded to the property's floating-point type before it is compared."
    }
    if property == "maybeDecimal" && value == "inf" {
      return "A Decimal is not compared with an infinite number."
    }
    return nil
  }

  private static let evaluation: [String: String] = {
    var issues: [String: String] = [:]
    for text in [
      "text CONTAINS maybeText", "text BEGINSWITH[c] maybeText", "text ENDSWITH[d] maybeText",
      "text CONTAINS[cd] maybeText",
    ] {
      issues[text] = "A missing text of the row is taken for the literal nil, which is part of every text."
    }
    for text in ["ANY friends == %@", "%@ IN friends", "NONE friends == %@"] {
      issues[text] = "A reference as an argument is not compared with the elements of a list of links."
    }
    for text in [
      "owner != nil AND owner.items.@count > 6", "owner != nil AND owner.fans.@count >= 12",
      "SUBQUERY(owner.items, $i, $i.flag == NO AND $i.small > 1).@count > 2",
    ] {
      issues[text] = "Backlinks behind a link to one object are not several values to @count and SUBQUERY."
    }
    issues["int + 1 > int"] = "A sum beyond 64 bits is the greatest integer, not the nearest double."
    return issues
  }()

  static let spelling: [String: String] = [:]
  static let sharing: [String: String] = [
    "id == 3": "The text reads the id by a computed path.",
    "id IN {1, 2, 99}": "The text reads the id by a computed path.",
    "int == 2 OR int == 3 OR int == 5": "Alternatives become a set in text alone.",
  ]
}
