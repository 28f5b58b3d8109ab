/// Whether a value read from a row is the same in two rows, each read in its own tables.
package typealias SameTest =
  @Sendable (UnsafeRawPointer, ReadContext, UnsafeRawPointer, ReadContext) -> Bool

/// A value that an expression names: of its own row, or of rows that a chain of links leads to.
///
/// Operands are equal when their paths are.
package struct Dependency: Hashable, Sendable {
  package let path: Term
  /// The links that lead to rows of other tables; none for a value of the row itself.
  package let chains: [LinkedRead]
  /// Nil if the values cannot be compared.
  package let isSame: SameTest?
  /// The value of a row.
  let value: (@Sendable (UnsafeRawPointer, ReadContext) -> any Sendable)?
  /// The entity whose rows the value is read from; nil if it is not known.
  var root: ObjectIdentifier?
  /// Whether it also depends on values of the row itself, besides those behind its links.
  var readsOwnRow = false
  /// The values of the row around that it depends on.
  var outer: [Dependency] = []
  /// The values of the row itself that are read in conditions on linked objects.
  var ownValues: [Term] = []

  /// Values behind the links that an inner condition follows are no part of the path.
  package static func == (lhs: Dependency, rhs: Dependency) -> Bool {
    lhs.path == rhs.path && lhs.chains == rhs.chains && lhs.outer == rhs.outer
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension Dependency {
  /// The value of an expression; nil if it is not read along a path.
  init?<Value>(_ expr: Expr<Value>) {
    guard let path = expr.source.path else { return nil }
    self.init(path, expr, expr.reads, root: expr.trail?.root ?? path.root)
  }

  /// The value of an expression that rows are sorted or grouped by; a condition equals itself alone.
  init<Value>(key expr: Expr<Value>) {
    if let operand = Dependency(expr) {
      self = operand
      return
    }
    var reads = ReadSet(level: expr.reads.level)
    reads.add(expr.dependencies)
    self.init(.closure(), expr, reads, root: nil)
  }

  private init<Value>(_ path: Term, _ expr: Expr<Value>, _ reads: ReadSet, root: ObjectIdentifier?) {
    let accessor = expr.accessor
    self.init(
      path: path, chains: reads.chains,
      // Without the rows around it, a value that depends on them cannot be read.
      isSame: reads.outer.isEmpty ? expr.isSame : nil,
      value: {
        // Both types have one layout. Stored parts of Sendable objects are Sendable; the value of a computed
        // property is made for this reader.
        unsafeBitCast(accessor.read($0, $1) as Any, to: (any Sendable).self)
      }, root: root, readsOwnRow: reads.readsOwnRow, outer: reads.outer, ownValues: reads.ownValues)
  }

  /// Whether it depends on values of the row itself.
  var readsRow: Bool { readsOwnRow || chains.isEmpty && outer.isEmpty }

  /// The same value for a row some levels further in, which reads it from a row around itself.
  func lifted(by levels: Int) -> Dependency {
    guard levels > 0 else { return self }
    return Dependency(
      path: path.lifted(by: levels), chains: [], isSame: nil, value: nil, outer: [lifted(by: levels - 1)])
  }

  /// The chains for rows from which some hops lead to the rows of this dependency.
  func chains(through hops: [LinkStep]) -> [LinkedRead] {
    guard readsRow else { return chains.map { $0.prefixed(by: hops) } }
    // Its chains stand beside it, and values of outer rows beside those: inside it, they would stand at each
    // level of a nested condition, and twice as often at each.
    let own = Dependency(
      path: path, chains: [], isSame: isSame, value: value, root: root, ownValues: ownValues)
    return [LinkedRead(hops: hops, read: own)] + chains.map { $0.prefixed(by: hops) }
  }
}

extension [Dependency] {
  /// Whether some value differs in two rows; a value that cannot be compared does not count.
  func differ(
    _ before: UnsafeRawPointer, _ old: ReadContext, _ after: UnsafeRawPointer, _ new: ReadContext
  ) -> Bool {
    contains { $0.isSame.map { !$0(before, old, after, new) } ?? false }
  }
}

extension Dependency {
  /// Stands for whatever a closure may read: any change of the row counts.
  static let anything = Dependency(path: Term(dynamic: ["*"]), chains: [], isSame: nil, value: nil)
}
