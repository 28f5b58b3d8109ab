/// The meaning of an expression or a condition, as a tree: the values that it starts from, and the values
/// read and computed from them.
///
/// Expressions in Swift, text filters and Foundation's predicates make terms. Equality and text of
/// a filter, and what it reads, are functions of its term. Names are only shown: terms of the same members are equal.
///
/// A term about each of several objects or elements, such as the condition of ``some(_:_:)``, has that object as its row
/// 0 and the row around it as row 1 (de Bruijn's numbering of variables).
package indirect enum Term: Hashable, Sendable {
  // MARK: Values

  /// The row that is tested, or the one this many levels around it.
  case row(Int)
  /// An element of a collection in place of a row, of a type.
  case element(ObjectIdentifier, level: Int)
  /// A value that is the same for all rows.
  case constant(Constant)
  /// Members of a value.
  case property(Term, PropertyPath)
  /// The value under a key of a dictionary.
  case key(Term, Constant)
  /// The object, or each of the objects, that links lead to.
  case target(Term)
  /// What a step leads to that is found when the value is read.
  ///
  /// - Parameters:
  ///   - step: no function, and no argument.
  ///   - spreads: whether a name leads from a list to the values of its elements.
  case step(Term, PathStep, spreads: Bool)
  /// The objects that link to an object.
  case linking(Term, Backlink)
  /// The objects or elements that meet a condition.
  case filtered(Term, Term)
  /// Terms of each of several objects.
  case values(Term, [Term])
  /// A value that this package computes of another one, such as a count.
  case function(TermFunction, Term)
  /// A function of a value of each of several objects.
  case aggregate(CollectionFunction, Term, Term)
  /// How well a text matches a search.
  case relevance(Term, Constant)
  case operation(ArithmeticOperation, Term, Term)
  /// A value, or another one where it is missing.
  case fallback(Term, Term)
  /// The place of an object in the order of a comparator of Foundation's.
  case comparator(Constant)
  /// The result of a closure for a value, or a condition of which nothing more is known.
  case closure(ClosureIdentity, Term)

  // MARK: Conditions

  case compare(Term, Comparison, Constant)
  case compareTerms(Term, Comparison, Term)
  /// A relation of two values of different types.
  case pair(Term, TermRelation, Term)
  case range(Term, lower: ValueBound<Constant>, upper: ValueBound<Constant>)
  case member(Term, UnorderedMembers<Constant>)
  case link(Term, Constant)
  case contains(Term, Constant)
  /// Whether some of several objects or elements meet a condition.
  case some(Term, Term)
  case text(Term, TextTest, ComparedText, TextOptions)
  /// Whether words are in a text, or in any searchable property of a row.
  case search(Term, SearchTerm)
  /// A predicate of Foundation's, or a part of one, that is evaluated for an object.
  case predicate(OpaqueCondition, Term)
  /// A relation of values whose types are known only at run time, or of which there are several.
  case general(Term, TermRelation, Term)
  case all(TermMembers)
  case any(TermMembers)
  case not(Term)
  /// Conditions that are nested too deeply for a tree.
  case program(FilterProgram<Term>)
}

/// A link in the direction from its target to the objects that hold it.
package struct Backlink: Hashable, Sendable {
  /// The members that lead from the entity with the link to the link.
  package let members: [MemberKey]
  let target: ObjectIdentifier
  /// The names of the entity and its property.
  let source, property: String
  /// The step from the target to the objects that hold the link.
  let step: LinkStep

  package static func == (lhs: Backlink, rhs: Backlink) -> Bool {
    lhs.members == rhs.members && lhs.target == rhs.target
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

/// The members of a conjunction, or of alternatives. Their order makes no difference, except the order of
/// closures and predicates in a conjunction: each is given only the rows that pass the members before it.
package struct TermMembers: Hashable, Sendable {
  package let terms: [Term]
  let isConjunction: Bool

  package static func == (lhs: TermMembers, rhs: TermMembers) -> Bool {
    lhs.isConjunction == rhs.isConjunction && UnorderedMembers(lhs.terms) == UnorderedMembers(rhs.terms)
      && (!lhs.isConjunction || lhs.terms.filter(\.isOpaque) == rhs.terms.filter(\.isOpaque))
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(UnorderedMembers(terms)) }
}

/// An operation of two numbers.
package enum ArithmeticOperation: String, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  /// Of text filters alone.
  case power = "**"
}

/// The constant that stands for a missing value of a type that cannot be compared.
package struct MissingValue: Hashable, Sendable, CustomStringConvertible {
  package var description: String { "nil" }
}

extension Term {
  /// A property of the row.
  ///
  /// - Parameter name: the name that is shown.
  package init(_ keyPath: any AnyKeyPath & Sendable, name: String) {
    self = .property(.row(0), PropertyPath(keyPath, name: name))
  }

  /// A value that a dynamic schema finds by names.
  package init(dynamic names: [String]) {
    self = names.isEmpty ? .row(0) : .property(.row(0), PropertyPath(dynamic: names))
  }

  /// The id of a row, of any entity.
  package static let id = Term.property(.row(0), .id(of: nil))

  /// The id of a row of an entity.
  static func id(of type: ObjectIdentifier) -> Term { .property(.row(0), .id(of: type)) }

  /// The result of a closure; it equals only itself.
  package static func closure() -> Term { .closure(ClosureIdentity(), .row(0)) }

  /// Members of the value.
  package func appending(_ members: PropertyPath) -> Term {
    guard case .property(let base, let path) = self else { return .property(self, members) }
    return .property(base, path.appending(members))
  }

  /// A term about the value in place of its row.
  package func appending(_ member: Term) -> Term {
    member.replacingRows { term, level, depth in level == depth ? lifted(by: depth) : term }
  }

  /// The row's members, if the term is just these; nil if it is anything else.
  package var ownPath: PropertyPath? { if case .property(.row(0), let path) = self { path } else { nil } }

  /// The names of a dynamic object's path; nil for other terms.
  var dynamicNames: [String]? {
    guard let steps = ownPath?.steps else { return nil }
    let names = steps.compactMap { if case .name(let name) = $0 { name } else { nil } }
    return names.count == steps.count ? names : nil
  }

  /// The condition that holds where this one does not, if it has a form of its own.
  package var inverse: Term? {
    switch self {
    case .constant(let value): value.value(as: Bool.self).map { .constant(Constant(!$0)) }
    case .not(let condition): condition
    // No listed constant says which value of a type without comparison is missing.
    case .compare(_, _, let value) where value.value(as: MissingValue.self) != nil: nil
    case .compare(let term, .equal, let value):
      value.value(as: Bool.self).map { .compare(term, .equal, Constant(!$0)) }
        ?? .compare(term, .notEqual, value)
    case .compare(let term, .notEqual, let value): .compare(term, .equal, value)
    default: nil
    }
  }
}

/// Identity for closures: a closure equals only itself.
package final class ClosureIdentity: Hashable, Sendable {
  package init() {}
  package static func == (lhs: ClosureIdentity, rhs: ClosureIdentity) -> Bool { lhs === rhs }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
