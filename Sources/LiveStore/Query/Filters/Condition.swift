/// One test of a filter, with the information for planning and routing. An object, so that copying a filter copies a
/// reference.
@usableFromInline
package final class Condition: Hashable, Sendable, CustomStringConvertible {
  /// The test as a value: conditions of equal forms are the same test.
  package let form: Form
  package let mask: RowMask
  /// The values that can pass, if known.
  package let candidates: Candidates?
  /// Other values, which rows that pass must have as well as those among the candidates.
  let furtherCandidates: [Candidates]
  /// The objects behind links that rows that pass lead to, if known.
  let linked: LinkedCandidates?
  /// The values that the condition names.
  package let operands: [Operand]
  /// Makes the condition that the same value is one of some constants, or none of them; for a condition of that kind.
  let listing: Listing?
  /// Whether evaluating it needs a ``FilterRun``.
  let needsRun: Bool
  /// Whether it follows links to several objects.
  let readsManyLinked: Bool

  /// - Returns: nil for constants of another type.
  package typealias Listing = @Sendable (_ constants: [Constant], _ isExcluding: Bool) -> ConditionTree?

  package init(
    form: Form, mask: @escaping RowMask, candidates: Candidates?, operands: [Operand] = [],
    furtherCandidates: [Candidates] = [], linked: LinkedCandidates? = nil, listing: Listing? = nil
  ) {
    self.form = form
    self.mask = mask
    self.candidates = candidates
    self.operands = operands
    self.furtherCandidates = furtherCandidates
    self.linked = linked
    self.listing = listing
    needsRun = form.needsRun
    readsManyLinked = operands.contains { !$0.chains.isEmpty } && form.readsSeveral
  }

  @usableFromInline
  package static func == (lhs: Condition, rhs: Condition) -> Bool {
    lhs === rhs || lhs.form == rhs.form
  }
  @usableFromInline
  package func hash(into hasher: inout Hasher) { hasher.combine(form) }

  /// Whether the condition is known to be consistent: it always gives the same answer for a row, and passes only rows
  /// among its candidates. That holds for values of types of the standard library or Foundation. Closures, and the
  /// `==` and `<` of other types, may be inconsistent.
  var isConsistent: Bool {
    switch form {
    case .text, .link, .pair: true
    case .some(_, let filter): filter.isConsistent
    case .closure, .predicate: false
    case .compare(_, .notEqual, let value): value.hasKnownEquality
    case .outer(_, let condition): condition.isConsistent
    case .program(let program): program.conditions.allSatisfy(\.isConsistent)
    default: candidates?.isConsistent ?? false
    }
  }

  package enum Form: Hashable, Sendable {
    case compare(PropertyPath, Comparison, Constant)
    case compareProperties(PropertyPath, Comparison, PropertyPath)
    /// A relation of two values of different types, as a text filter writes it.
    case pair(PropertyPath, String, PropertyPath)
    case range(PropertyPath, lower: ValueBound<Constant>, upper: ValueBound<Constant>)
    case member(PropertyPath, UnorderedMembers<Constant>)
    case link(PropertyPath, Constant)
    case element(PropertyPath, Constant)
    /// Whether some of several objects or elements meet a condition.
    case some(PropertyPath, ConditionTree)
    case text(PropertyPath, TextTest, ComparedText, TextOptions)
    /// A term in a text, or with an empty path in any searchable property.
    case search(PropertyPath, SearchTerm)
    case closure(ClosureIdentity)
    /// A predicate of Foundation's, or a part of one, that is evaluated.
    case predicate(PathCondition, reportsErrors: Bool)
    case program(FilterProgram)
    /// A comparison of values at run time, as a text filter writes it.
    case general(PathCondition, ComparedText)
    /// A condition on the row that is this many levels around the one that is tested (B3).
    case outer(Int, Condition)
  }

  @usableFromInline
  package var description: String {
    switch form {
    case .compare(let path, let comparison, let value): "\(path) \(comparison.rawValue) \(value)"
    case .compareProperties(let left, let comparison, let right): "\(left) \(comparison.rawValue) \(right)"
    case .pair(let left, let relation, let right): "\(left) \(relation) \(right)"
    case .range(let path, .inclusive(let lower), let upper):
      "\(path) in \(lower)\(upper.isInclusive ? "..." : "..<")\(upper.value)"
    case .range(let path, .exclusive(let lower), let upper):
      "\(path) > \(lower) && \(path) \(upper.isInclusive ? "<=" : "<") \(upper.value)"
    case .member(let path, let values):
      "\(path) in [\(values.members.map(\.description).joined(separator: ", "))]"
    case .link(let path, let value), .element(let path, let value): "\(path) contains \(value)"
    case .some(let path, let filter): "\(path).contains { \(filter) }"
    case .text(let path, let test, let text, let options):
      "\(path) \(test.rawValue)\(options) \(String(reflecting: text.text))"
    case .search(let path, let term):
      "\(path.isEmpty ? "" : "\(path).")search(\(String(reflecting: term.description)))"
    case .closure: "{ closure }"
    case .predicate: "#Predicate"
    case .general(_, let text): text.text
    case .outer(_, let condition): "outer { \(condition) }"
    case .program(let program): "… of \(program.conditions.reduce(0) { count, _ in count + 1 }) conditions …"
    }
  }
}
