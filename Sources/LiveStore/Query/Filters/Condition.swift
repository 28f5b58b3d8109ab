/// One test of a filter, with the information for planning and routing. An object, so that copying a filter copies a
/// reference.
@usableFromInline
package final class Condition: Hashable, Sendable, CustomStringConvertible {
  /// The meaning: conditions of equal terms are the same test.
  package let term: Term
  package let mask: RowMask
  /// The values that can pass, if known.
  package let candidates: SearchArgument?
  /// Further candidates: every row that passes is among each of them, too.
  let furtherCandidates: [SearchArgument]
  /// Linked objects, to one of which each row that passes leads; nil if unknown.
  let linked: LinkedSearchArgument?
  /// The values read over links that the condition names.
  package let named: [NamedValue]
  /// Makes the condition that the same value is one of some constants, or none of them; for a condition of that kind.
  let listing: Listing?
  /// Whether evaluating it needs a ``FilterRun``.
  let needsRun: Bool
  /// Whether it follows links to several objects.
  let readsManyLinked: Bool
  /// Whether it is known to be consistent: it always gives the same answer for a row, and passes only rows among its
  /// candidates. That holds for values of types of the standard library or Foundation. Closures, and the `==` and `<` of
  /// other types, may be inconsistent.
  let isConsistent: Bool
  /// The conditions that it joins, if they were nested too deeply for a tree.
  let program: FilterProgram<Condition>?

  /// - Returns: nil for constants of another type.
  package typealias Listing = @Sendable (_ constants: [Constant], _ isExcluding: Bool) -> ConditionTree?

  package init(
    term: Term, mask: @escaping RowMask, candidates: SearchArgument?, named: [NamedValue] = [],
    furtherCandidates: [SearchArgument] = [], linked: LinkedSearchArgument? = nil, listing: Listing? = nil,
    isConsistent: Bool? = nil, program: FilterProgram<Condition>? = nil
  ) {
    self.term = term
    self.mask = mask
    self.candidates = candidates
    self.named = named
    self.furtherCandidates = furtherCandidates
    self.linked = linked
    self.listing = listing
    self.program = program
    self.isConsistent =
      isConsistent ?? term.isConsistent(\.hasKnownEquality) ?? candidates?.isConsistent ?? false
    needsRun = term.needsRun
    readsManyLinked = term.readsSeveral && term.followsLinks
  }

  @usableFromInline
  package static func == (lhs: Condition, rhs: Condition) -> Bool {
    lhs === rhs || lhs.term == rhs.term
  }
  @usableFromInline
  package func hash(into hasher: inout Hasher) { hasher.combine(term) }

  @usableFromInline
  package var description: String { term.description }
}
