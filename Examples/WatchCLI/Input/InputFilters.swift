import LiveStore

/// The filters that decide what objects of the input are there for.
struct InputFilters {
  /// What an object is there for.
  enum Use { case removed, whole, id }

  /// A filter, and the members that it reads; nil for any.
  private typealias Check = (filter: FilterCheck<Document>, members: Set<ComparedText>?)

  private let deletion, end, kept: Check?
  /// The members that decide about an object; nil if all objects are there as a whole, or any member may decide.
  let members: Set<ComparedText>?

  /// The filters of the rules, and the paths of which each object's value is looked at.
  init(_ rules: InputRules, comparedPaths: [[String]]) {
    func check(_ filter: FilterSyntax?) -> Check? {
      filter.map { (FilterCheck(Filter($0)), $0.properties) }
    }
    (deletion, end, kept) = (check(rules.deletion), check(rules.end), check(rules.filter))
    let paths = rules.key.paths.map(\.steps) + comparedPaths
    let read = [deletion, end, kept].compactMap(\.self).map(\.members)
    members =
      kept == nil || rules.envelope != nil || read.contains(nil)
      ? nil : read.compactMap(\.self).reduce(Set(paths.map { ComparedText($0[0]) })) { $0.union($1) }
  }

  /// What an object is there for, and whether it is the last.
  ///
  /// - Parameter missing: members of which the values were not sent: nothing is decided by them.
  func use(of document: Document, missing: [String]) throws(StoreError) -> (use: Use, isLast: Bool) {
    func isMet(_ check: Check?) throws(StoreError) -> Bool {
      guard let check else { return false }
      let isKnown = missing.isEmpty || check.members?.isDisjoint(with: missing.map(ComparedText.init)) == true
      return isKnown ? try check.filter.isMet(by: document) : false
    }
    if try isMet(deletion) { return (.removed, false) }
    let isLast = try isMet(end)
    return (try kept?.filter.isMet(by: document) ?? true ? .whole : .id, isLast)
  }
}
